import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { CustomerEntitlements } from './customer-entitlements.js';
import { CustomerEntitlementsView, EntitlementView } from './entitlement.dto.js';

@ApiTags('Entitlements')
@Controller('v1/customers/:id/entitlements')
export class EntitlementsController {
  constructor(private readonly entitlements: CustomerEntitlements) {}

  @Get()
  @RequiresPermission('entitlements:read')
  @ApiOperation({
    summary: 'Get the features that a customer may use, and the consumption of each feature',
    description:
      'The features come from the plans of subscriptions that are trialing or active, and from grants. `entitledWhilePastDue` of the ' +
      'billing settings says whether a subscription that is past due also gives its features. If a feature has several sources, the ' +
      'most generous one applies.',
  })
  @ApiOkResponse({ type: CustomerEntitlementsView })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
  ): Promise<CustomerEntitlementsView> {
    return this.entitlements.presentAll(workspaceId, customerId);
  }

  @Get(':featureName')
  @RequiresPermission('entitlements:read')
  @ApiParam({ name: 'featureName', description: 'The id or the name of the feature.', example: 'tokens' })
  @ApiOperation({
    summary: 'Get the access of a customer to one feature, and its consumption',
    description: 'The quantities are those of the present period. `null` means that there is no limit.',
  })
  @ApiOkResponse({ type: EntitlementView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('featureName') feature: string,
  ): Promise<EntitlementView> {
    const all = await this.entitlements.entitlementsOf(workspaceId, customerId);
    const found =
      all.find(({ featureId }) => featureId === feature) ??
      all.find(({ featureName }) => featureName === feature);
    if (!found)
      throw new NotFound(
        'feature_not_found',
        `Customer "${customerId}" has no feature "${feature}", neither by a plan nor by a grant`,
        undefined,
        { resource: 'feature', id: feature },
      );
    return this.entitlements.presentOne(workspaceId, customerId, found);
  }
}
