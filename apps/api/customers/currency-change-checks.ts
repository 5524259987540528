import { Injectable } from '@nestjs/common';
import { Conflict, Decimal } from '#libs/kernel/core';
import { BalanceQueries } from '#projections/balances';
import { CustomerQueries } from '#projections/customers';
import { SubscriptionQueries } from '#projections/subscriptions';

const MAX_NAMED = 10;

/**
 * Checks whether a customer can change to another currency. As at Stripe, a customer cannot change its currency while it has subscriptions
 * or a balance in a currency other than the new one.
 */
@Injectable()
export class CurrencyChangeChecks {
  constructor(
    private readonly customers: CustomerQueries,
    private readonly subscriptions: SubscriptionQueries,
    private readonly balances: BalanceQueries,
  ) {}

  /**
   * Throws NotFound if the customer does not exist. Throws Conflict (`customer_currency_in_use`) if the customer has subscriptions that have
   * not ended, or a balance, in a currency other than `currency`. A subscription that was created a moment ago may not be found yet. A missed
   * subscription is harmless, because its invoices stay in the currency of its plan.
   */
  async requireChangeable(workspaceId: string, customerId: string, currency: string): Promise<void> {
    const { state } = await this.customers.get(workspaceId, customerId);
    if (state.currency === currency) return;
    const wanted = { customerId, currency };
    const subscriptions = await this.subscriptions.liveIdsInOtherCurrency(workspaceId, wanted, MAX_NAMED);
    if (subscriptions.length > 0)
      throw inUse(
        `has subscriptions in another currency that have not ended (${subscriptions.join(', ')}); cancel them first`,
      );
    const balances = (await this.balances.balancesOf(workspaceId, customerId)).filter(
      (one) => one.currency !== currency && !new Decimal(one.state.balance).isZero(),
    );
    const amounts = balances.map((one) => `${one.state.balance} ${one.currency}`);
    if (amounts.length > 0)
      throw inUse(
        `has a balance of ${amounts.join(' and ')}, which only invoices in that currency can use up`,
      );
  }
}

function inUse(because: string): Conflict {
  return new Conflict('customer_currency_in_use', `The currency cannot be changed: the customer ${because}`, [
    { field: 'currency', message: 'must stay as it is' },
  ]);
}
