import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  GrantEntitlement,
  presentEntitlementGrant,
  RemoveEntitlementGrant,
} from '#libs/contexts/entitlements';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CustomerQueries } from '#projections/customers';
import { EntitlementGrantQueries } from '#projections/entitlement-grants';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { EntitlementGrantList, EntitlementGrantView, GrantEntitlementBody } from './entitlement.dto.js';

@ApiTags('Entitlements')
@Controller('v1')
export class EntitlementGrantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: CustomerQueries,
    private readonly grants: EntitlementGrantQueries,
  ) {}

  @Post('customers/:id/entitlement-grants')
  @RequiresPermission('entitlements:write')
  @ApiOperation({
    summary: 'Give a customer a feature outside its plans, or a higher limit',
    description: 'The limit of a grant is not added to the limit of a plan. The higher limit applies.',
  })
  @ApiCreatedResponse({ type: EntitlementGrantView })
  async grant(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() { featureId, limit = null, reason = null, expiresAt = null }: GrantEntitlementBody,
  ): Promise<EntitlementGrantView> {
    const details = { customerId, featureId, limit, reason, expiresAt };
    return presentEntitlementGrant(await this.commands.execute(new GrantEntitlement(context, details)));
  }

  @Get('customers/:id/entitlement-grants')
  @RequiresPermission('entitlements:read')
  @ApiOperation({
    summary: 'List the entitlement grants of a customer, oldest first, including expired grants',
    description: 'A grant gives a feature, or a higher limit, in addition to the plan.',
  })
  @ApiOkResponse({ type: EntitlementGrantList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<EntitlementGrantList> {
    await this.customers.get(workspaceId, customerId);
    return readPage(
      page,
      this.grants.listOrder,
      (part) => this.grants.list(workspaceId, part, { customerId }),
      ({ shown }) => presentEntitlementGrant(shown),
    );
  }

  @Delete('entitlement-grants/:grantId')
  @HttpCode(204)
  @RequiresPermission('entitlements:write')
  @ApiParam({
    name: 'grantId',
    description: 'The id of the grant.',
    example: 'entgrant_01JD0000000000000000000000',
  })
  @ApiOperation({
    summary: 'Remove a grant',
    description: 'The customer keeps what the plans of its subscriptions and other grants give.',
  })
  @ApiNoContentResponse()
  async remove(@Context() context: CommandContext, @Param('grantId') grantId: string): Promise<void> {
    await this.commands.execute(new RemoveEntitlementGrant(context, grantId));
  }
}
