import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { PortalPrincipal } from '#libs/contexts/identity';
import { CustomerEntitlements } from '../entitlements/customer-entitlements.js';
import { CustomerEntitlementsView } from '../entitlements/entitlement.dto.js';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { TakesLong } from '../http/index.js';
import { PortalUpcomingQuery } from './portal-invoice.dto.js';
import { PortalUsageView } from './portal-usage.dto.js';
import { PortalUsageMeter } from './portal-usage-meter.js';
import { hideSqlInErrors } from './sql-failures.js';

/** Shows customers their own usage and entitlements. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal')
export class PortalUsageController {
  constructor(
    private readonly measured: PortalUsageMeter,
    private readonly customerEntitlements: CustomerEntitlements,
  ) {}

  @Get('usage')
  @TakesLong()
  @ApiOperation({
    summary: 'Get the usage of the present period until now, by metric and day',
    description:
      'The usage includes every event that was acknowledged before the request. At most 100 metrics are shown.',
  })
  @ApiOkResponse({ type: PortalUsageView })
  async usage(
    @CurrentCustomer() customer: PortalPrincipal,
    @Query() { subscriptionId }: PortalUpcomingQuery,
  ): Promise<PortalUsageView> {
    return this.measured.measurePresentPeriod(customer, subscriptionId);
  }

  @Get('entitlements')
  @ApiOperation({
    summary: 'Get the features that the customer may use, and the remaining quantity of each feature',
    description: 'The quantities are those of the present period. `null` means that there is no limit.',
  })
  @ApiOkResponse({ type: CustomerEntitlementsView })
  async entitlements(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
  ): Promise<CustomerEntitlementsView> {
    return hideSqlInErrors(this.customerEntitlements.presentAll(workspaceId, customerId));
  }
}
