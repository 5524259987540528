import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { presentBalance, presentBalanceTransaction } from '#libs/contexts/balances';
import type { Principal } from '#libs/contexts/identity';
import { BalanceQueries } from '#projections/balances';
import { CustomerQueries } from '#projections/customers';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { pageInMemory, readPage, PageQuery } from '../http/index.js';
import { BalanceList, BalanceTransactionList, BalanceTransactionQuery } from './balance.dto.js';

@ApiTags('Customers')
@Controller('v1/customers/:id')
export class BalancesController {
  constructor(
    private readonly balances: BalanceQueries,
    private readonly customers: CustomerQueries,
  ) {}

  @Get('balances')
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: 'Get what is owed to a customer, by currency',
    description:
      'Credit notes add to the balance, and so do credits that exceed the charges of an invoice. ' +
      'Each next invoice uses the balance when it is opened.',
  })
  @ApiOkResponse({ type: BalanceList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ) {
    await this.customers.get(workspaceId, customerId);
    const rows = await this.balances.balancesOf(workspaceId, customerId);
    return pageInMemory(page, { list: 'balances', rows, idOf: ({ state }) => state.currency }, ({ state }) =>
      presentBalance(state),
    );
  }

  @Get('balance-transactions')
  @RequiresPermission('customers:read')
  @ApiOperation({ summary: "List the changes of a customer's balances, newest first" })
  @ApiOkResponse({ type: BalanceTransactionList })
  async transactions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() { currency, ...page }: BalanceTransactionQuery,
  ) {
    await this.customers.get(workspaceId, customerId);
    const filter = { customerId, ...(currency ? { currency } : {}) };
    return readPage(
      page,
      this.balances.order,
      (part) => this.balances.transactionsOf(workspaceId, filter, part),
      presentBalanceTransaction,
    );
  }
}
