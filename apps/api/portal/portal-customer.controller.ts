import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeCustomer } from '#libs/contexts/customers';
import { WorkspaceNames, type PortalPrincipal } from '#libs/contexts/identity';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CustomerQueries } from '#projections/customers';
import { SubscriptionQueries } from '#projections/subscriptions';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { Context, PageQuery, readAddress, readPage } from '../http/index.js';
import { PortalLanguageFinder } from './portal-language.js';
import { PortalConfigView, PortalCustomerView, UpdatePortalCustomerBody } from './portal-customer.dto.js';
import { PortalSubscriptionList } from './portal-plan.dto.js';
import { presentPortalCustomer, presentPortalSubscription } from './present.js';

/** Shows customers their own data, and lets them change their contact data. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal')
export class PortalCustomerController {
  constructor(
    private readonly languages: PortalLanguageFinder,
    private readonly commands: CommandBus,
    private readonly customers: CustomerQueries,
    private readonly subscriptions: SubscriptionQueries,
    private readonly workspaces: WorkspaceNames,
    private readonly settings: CurrentBillingSettings,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get('me')
  @ApiOperation({
    summary: 'Get the customer of the portal session',
    description:
      'The response has the names, addresses, language and currency of the customer, without metadata.',
  })
  @ApiOkResponse({ type: PortalCustomerView })
  async me(@CurrentCustomer() { workspaceId, customerId }: PortalPrincipal): Promise<PortalCustomerView> {
    return presentPortalCustomer((await this.customers.get(workspaceId, customerId)).state);
  }

  @Patch('me')
  @ApiOperation({
    summary: 'Change the given contact data of the customer',
    description: 'A field that is left out keeps its value.',
  })
  @ApiOkResponse({ type: PortalCustomerView })
  async update(
    @Context() context: CommandContext,
    @CurrentCustomer() { customerId }: PortalPrincipal,
    @Body() { address, ...others }: UpdatePortalCustomerBody,
  ): Promise<PortalCustomerView> {
    const changes = {
      ...others,
      ...(address === undefined ? {} : { address: address && readAddress(address) }),
    };
    const change = { type: 'UpdateCustomer', customerId, changes } as const;
    return presentPortalCustomer(await this.commands.execute(new ChangeCustomer(context, change)));
  }

  @Get('config')
  @ApiOperation({
    summary: 'Get what the session allows',
    description: 'The response says which pages a portal can show, with the name and colour of the seller.',
  })
  @ApiOkResponse({ type: PortalConfigView })
  async config(
    @CurrentCustomer()
    { workspaceId, allowPlanChanges, quantityLimits, allowCreditPurchases, expiresAt }: PortalPrincipal,
  ): Promise<PortalConfigView> {
    const [sellerName, { brandColor }, mode] = await Promise.all([
      this.workspaces.nameOf(workspaceId),
      this.settings.ofWorkspace(workspaceId),
      this.clock.readMode(workspaceId),
    ]);
    const sandbox = mode === 'sandbox';
    return {
      allowPlanChanges,
      quantityLimits,
      allowCreditPurchases,
      paymentMethodTypes: sandbox ? ['test'] : [],
      expiresAt,
      sellerName,
      brandColor,
      sandbox,
    };
  }

  @Get('subscriptions')
  @ApiOperation({
    summary: 'List the subscriptions of the customer, oldest first, including ended subscriptions',
    description:
      'Each subscription has its plan, status, present period, prices with units, and scheduled changes of the plan.',
  })
  @ApiOkResponse({ type: PortalSubscriptionList })
  async listSubscriptions(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
    @Query() page: PageQuery,
  ): Promise<PortalSubscriptionList> {
    const language = await this.languages.find({ workspaceId, customerId });
    return readPage(
      page,
      this.subscriptions.listOrder,
      (part) => this.subscriptions.list(workspaceId, part, { customerId }),
      ({ shown }) => presentPortalSubscription(shown, language),
    );
  }
}
