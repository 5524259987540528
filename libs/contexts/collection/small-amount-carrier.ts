import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CustomerSubscriptionFinder } from '#libs/contexts/billing';
import { amountToPay, CarryForward, subscriptionIdsOf, type Invoice } from '#libs/contexts/invoicing';
import { knownRefusalOfAmount } from '#libs/contexts/payments';
import { Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import type { DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';

/** The number of a customer's subscriptions that are searched for one that goes on. */
const MOST_SUBSCRIPTIONS = 100;

/**
 * Carries amounts that are too small for a charge to the next invoice of the customer, if the billing settings say so. The amount is then a
 * debt of the customer's balance, as Stripe does it (docs.stripe.com/billing/customer/balance).
 */
@Injectable()
export class SmallAmountCarrier {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly finder: CustomerSubscriptionFinder,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Carries the amount due of an invoice to the next invoice, and returns true. Changes nothing and returns false in three cases: the amount
   * can be charged, the settings leave such invoices open, or no subscription of the customer in the currency goes on. Throws StateConflict
   * (`amount_changed`) if another amount is due meanwhile.
   */
  async carry(context: CommandContext, invoice: Invoice): Promise<boolean> {
    const { workspaceId } = context;
    const isSandbox = (await this.clock.readMode(workspaceId)) === 'sandbox';
    const due = amountToPay(invoice);
    if (!isToBeCarried(invoice, due, isSandbox) || !(await this.hasNextInvoice(workspaceId, invoice)))
      return false;
    await this.commands.execute(new CarryForward(context, invoice.invoiceId, due));
    return true;
  }

  /** Looks at the invoice's own subscriptions too, because the list of subscriptions can be behind. */
  private async hasNextInvoice(workspaceId: string, invoice: Invoice): Promise<boolean> {
    const { customerId, currency } = invoice;
    const listed = await this.finder.oldestLiveSubscriptionIds(workspaceId, customerId, MOST_SUBSCRIPTIONS);
    for (const subscriptionId of new Set([...subscriptionIdsOf(invoice), ...listed])) {
      const subscription = await this.subscriptions.find(workspaceId, subscriptionId);
      if (subscription?.currency === currency && goesOn(subscription)) return true;
    }
    return false;
  }
}

/** Tells whether the settings carry such an amount, and it is known that the amount cannot be charged because it is too small. */
function isToBeCarried(
  { status, settings, attempts, currency }: Invoice,
  due: DecimalString,
  isSandbox: boolean,
): boolean {
  if (status !== 'open' || !settings.autoCollect || !settings.carrySmallAmounts) return false;
  return knownRefusalOfAmount(due, currency, isSandbox, attempts.at(-1))?.code === 'amount_too_small';
}

/** A subscription goes on if it has a next period. One that is paused or to be canceled may have none. */
function goesOn({ phase, cancelAt }: Subscription): boolean {
  return phase !== 'canceled' && phase !== 'paused' && cancelAt === null;
}
