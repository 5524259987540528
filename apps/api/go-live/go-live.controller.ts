import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GoLive } from '#libs/contexts/go-live';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { PlanQueries } from '#projections/plans';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { AnswersWithSecret, Context, TakesLong } from '../http/index.js';
import { GoLiveBody, GoLiveView } from './go-live.dto.js';

@ApiTags('Going live')
@Controller('v1/workspace/go-live')
export class GoLiveController {
  constructor(
    private readonly commands: CommandBus,
    private readonly plans: PlanQueries,
  ) {}

  @Post()
  @HttpCode(200)
  @TakesLong()
  @AnswersWithSecret()
  @RequiresPermission('workspace:write')
  @ApiOperation({
    summary: 'Make the live workspace of a sandbox',
    description:
      'The answer lists what was checked. If nothing failed, a live workspace is made beside the sandbox, with its name and billing settings. ' +
      'Customers, invoices, usage and the catalog stay in the sandbox.',
  })
  @ApiOkResponse({ type: GoLiveView })
  async goLive(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() { adminEmail, secretKey, withoutPaymentGateway = false, preview = false }: GoLiveBody,
  ) {
    const plans = await this.plans.count(caller.workspaceId);
    const request = { adminEmail, secretKey, withoutPaymentGateway, preview };
    const { checks, live } = await this.commands.execute(new GoLive(context, caller, request, plans));
    return { checks, live: live && { accountId: live.workspaceId, apiKey: live.apiKey } };
  }
}
