import { Injectable } from '@nestjs/common';
import { StreamReader } from '#libs/kernel/event-store';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { balanceDecider, type Balance } from './balance.js';
import { balanceStream } from './balances.js';
import { presentBalance, presentBalanceTransaction } from './present.js';
import { isBalanceEvent, balanceTransactionOf } from './balance-transaction.js';

@Injectable()
class BalancesSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const balance of this.balances(customer)) yield presentBalance(balance);
  }

  protected balances({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<Balance> {
    return this.states.statesWhere(balanceDecider, workspaceId, 'customerId', customerId);
  }
}

@Injectable()
class BalanceTransactionsSource extends BalancesSource {
  constructor(
    states: AggregateStateReader,
    private readonly streams: StreamReader,
  ) {
    super(states);
  }

  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const balance of this.balances(customer))
      for await (const event of this.streams.pages(balanceStream(customer.workspaceId, balance)))
        if (isBalanceEvent(event))
          yield {
            ...presentBalanceTransaction(balanceTransactionOf(event)),
            // The text that a user wrote about the change. Not all changes have one.
            reason: 'reason' in event.data ? event.data.reason : null,
          };
  }
}

/** The parts of a customer's data export that this context adds: the balances of a customer and their changes. */
export const customerData: readonly CustomerDataPart[] = [
  { name: 'balances', source: BalancesSource },
  { name: 'balanceTransactions', source: BalanceTransactionsSource },
];
