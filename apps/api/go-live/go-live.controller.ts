import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GoLive } from '#libs/contexts/go-live';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { PlanQueries } from '#projections/plans';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { AnswersWithSecret, Context, TakesLong } from '../http/index.js';
import { GoLiveBody, GoLiveResultView } from './go-live.dto.js';
import { SandboxCatalogReader } from './sandbox-catalog-reader.js';

@ApiTags('Going live')
@Controller('v1/workspace/go-live')
export class GoLiveController {
  constructor(
    private readonly commands: CommandBus,
    private readonly plans: PlanQueries,
    private readonly catalogs: SandboxCatalogReader,
  ) {}

  @Post()
  @HttpCode(200)
  @TakesLong()
  @AnswersWithSecret()
  @RequiresPermission('workspace:write')
  @ApiOperation({
    summary: 'Create a live workspace from a sandbox',
    description:
      'The response lists the checks and their results. If no check failed and `preview` is not true, a live workspace is created ' +
      'with the name and the billing settings of the sandbox. Without a copy of the catalog, `defaultTaxRateIds` of the live ' +
      'workspace is empty. The catalog is copied only if `copyCatalog` is true. Nothing else is copied, such as customers, invoices, ' +
      'usage, users, webhooks, and the settings for dunning, payment retries and approvals. You can repeat the request until the ' +
      'live workspace has a user; then the error is `409 already_live`. A repetition without the same `Idempotency-Key` creates ' +
      'another API key. It also mails a pending or expired invitation of `adminEmail` again, and revokes that of another address.',
  })
  @ApiOkResponse({ type: GoLiveResultView })
  async goLive(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() body: GoLiveBody,
  ): Promise<GoLiveResultView> {
    const { adminEmail, secretKey, withoutPaymentGateway = false, preview = false } = body;
    const { workspaceId } = caller;
    const plans = await this.plans.count(workspaceId);
    const sandbox = body.copyCatalog && !preview ? await this.catalogs.catalogOf(workspaceId) : null;
    const request = { adminEmail, secretKey, withoutPaymentGateway, preview };
    const {
      checks,
      live,
      catalogCopy: catalog,
    } = await this.commands.execute(new GoLive(context, caller, request, plans, sandbox));
    return { checks, live: live && { accountId: live.workspaceId, apiKey: live.apiKey }, catalog };
  }
}
