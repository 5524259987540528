import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdjustBalance, presentBalance, presentBalanceTransaction } from '#libs/contexts/balances';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { BalanceQueries } from '#projections/balances';
import { CustomerQueries } from '#projections/customers';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, readPage, PageQuery } from '../http/index.js';
import {
  AdjustBalanceBody,
  BalanceList,
  BalanceTransactionList,
  BalanceTransactionQuery,
  BalanceView,
} from './balance.dto.js';

@ApiTags('Customers')
@Controller('v1/customers/:id')
export class BalancesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly balances: BalanceQueries,
    private readonly customers: CustomerQueries,
  ) {}

  @Get('balances')
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: 'Get what is owed to a customer, by currency',
    description:
      'The balance grows by credit notes, by invoices that give back more than they charge, and by payments above the amount due. ' +
      'The balance also grows by refunds that failed, and by `POST /v1/customers/{id}/balance`. Each next invoice in the same ' +
      'currency uses the balance when it is opened.',
  })
  @ApiOkResponse({ type: BalanceList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<BalanceList> {
    await this.customers.get(workspaceId, customerId);
    const rows = await this.balances.balancesOf(workspaceId, customerId);
    return pageInMemory(page, { list: 'balances', rows, idOf: ({ state }) => state.currency }, ({ state }) =>
      presentBalance(state),
    );
  }

  @Post('balance')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Add an amount to the balance of a customer, or take an amount from it',
    description:
      'The response has the balance after the change. A change that would make the balance negative is refused with `409 ' +
      'balance_too_low`. The next invoices use the balance. `POST /v1/invoices/{id}/payments` pays an open invoice from the balance.',
  })
  @ApiOkResponse({ type: BalanceView })
  @MayNeedApproval('balance.adjust')
  async adjust(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() body: AdjustBalanceBody,
  ): Promise<BalanceView> {
    const { amount, reason, currency = null, method = null } = body;
    const adjustment = { amount, reason, currency, method };
    return presentBalance(await this.commands.execute(new AdjustBalance(context, customerId, adjustment)));
  }

  @Get('balance-transactions')
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: "List the changes of a customer's balances, newest first",
    description:
      'Each entry has the change, the balance after it, and the invoice, credit note or payment that caused it. A balance is ' +
      'in one currency.',
  })
  @ApiOkResponse({ type: BalanceTransactionList })
  async transactions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() { currency, ...page }: BalanceTransactionQuery,
  ): Promise<BalanceTransactionList> {
    await this.customers.get(workspaceId, customerId);
    const filter = { customerId, ...(currency ? { currency } : {}) };
    return readPage(
      page,
      this.balances.listOrder,
      (part) => this.balances.transactionsOf(workspaceId, filter, part),
      presentBalanceTransaction,
    );
  }
}
