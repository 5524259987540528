import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { ChangeCustomer, CreateCustomer, presentCustomer } from '#libs/contexts/customers';
import { RevokePortalSessions, type Principal } from '#libs/contexts/identity';
import { DeleteCustomer } from '#libs/contexts/subscriptions';
import { CustomerQueries } from '#projections/customers';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, readAddress } from '../http/index.js';
import { CurrencyChangeChecks } from './currency-change-checks.js';
import {
  CreateCustomerBody,
  CustomerList,
  CustomerListQuery,
  CustomerView,
  UpdateCustomerBody,
} from './customer.dto.js';
import { DeletionChecks } from './deletion-checks.js';

@ApiTags('Customers')
@Controller('v1/customers')
export class CustomersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: CustomerQueries,
    private readonly currencies: CurrencyChangeChecks,
    private readonly deletions: DeletionChecks,
  ) {}

  @Post()
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Create a customer',
    description: 'The id can be chosen. Without an id, the customer gets one that begins with `cust_`.',
  })
  @ApiCreatedResponse({ type: CustomerView })
  async create(@Context() context: CommandContext, @Body() body: CreateCustomerBody): Promise<CustomerView> {
    const details = {
      name: body.name,
      email: body.email ?? null,
      billingEmail: body.billingEmail ?? null,
      additionalEmails: body.additionalEmails ?? [],
      currency: body.currency ?? 'USD',
      timezone: body.timezone ?? 'UTC',
      language: body.language ?? null,
      externalId: body.externalId ?? null,
      address: body.address ? readAddress(body.address) : null,
      taxId: body.taxId ?? null,
      poNumber: body.poNumber ?? null,
      buyerReference: body.buyerReference ?? null,
      electronicAddress: body.electronicAddress ?? null,
      eInvoiceProfile: body.eInvoiceProfile ?? null,
      customFields: body.customFields ?? [],
      taxRateIds: body.taxRateIds ?? null,
      taxExemptReason: body.taxExemptReason ?? null,
      taxExemptType: body.taxExemptType ?? 'exempt',
      metadata: body.metadata ?? {},
    };
    return presentCustomer(await this.commands.execute(new CreateCustomer(context, details, body.id)));
  }

  @Get()
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: 'List customers, oldest first',
    description: 'The list can be filtered by `email` and `externalId`.',
  })
  @ApiOkResponse({ type: CustomerList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: CustomerListQuery,
  ): Promise<CustomerList> {
    return readPage(
      query,
      this.customers.listOrder,
      (part) => this.customers.list(workspaceId, part, query),
      ({ shown: { state } }) => presentCustomer(state),
    );
  }

  @Get(':id')
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: 'Get a customer',
    description:
      'The response has the addresses, the currency, the tax settings and the metadata of the customer.',
  })
  @ApiOkResponse({ type: CustomerView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<CustomerView> {
    return presentCustomer((await this.customers.get(workspaceId, id)).state);
  }

  @Patch(':id')
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Change the given fields of a customer',
    description:
      'The currency cannot change (`customer_currency_in_use`) while the customer has subscriptions that have not ended, or a balance, in ' +
      'a currency other than the new one.',
  })
  @ApiOkResponse({ type: CustomerView })
  async update(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() { address, ...others }: UpdateCustomerBody,
  ): Promise<CustomerView> {
    const changes = {
      ...others,
      ...(address === undefined ? {} : { address: address && readAddress(address) }),
    };
    const { currency } = others;
    if (currency !== undefined)
      await this.currencies.requireChangeable(context.workspaceId, customerId, currency);
    const change = { type: 'UpdateCustomer', customerId, changes } as const;
    return presentCustomer(await this.commands.execute(new ChangeCustomer(context, change)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary:
      "Delete a customer who has nothing left to pay or to receive; the customer's invoices stay, and the portal sessions end",
    description:
      'The request is refused with 409 while the customer has a subscription that has not ended (`customer_has_subscriptions`), a draft ' +
      'or an open invoice (`customer_has_open_invoices`), a balance (`customer_has_balance`), or prepaid credits ' +
      '(`customer_has_credits`). Debt that was written off does not prevent deletion. Automatic top-ups of the customer are removed.',
  })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') customerId: string): Promise<void> {
    await this.deletions.requireDeletable(context.workspaceId, customerId);
    await this.commands.execute(new DeleteCustomer(context, customerId));
    await this.commands.execute(new RevokePortalSessions(followUpContext(context, 'revoke'), { customerId }));
  }
}
