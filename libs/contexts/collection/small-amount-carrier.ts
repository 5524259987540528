import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CustomerSubscriptionFinder } from '#libs/contexts/billing';
import { amountToPay, CarryForward, subscriptionIdsOf, type Invoice } from '#libs/contexts/invoicing';
import { minimumCharge } from '#libs/contexts/payments';
import { Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { Decimal } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

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
  ) {}

  /**
   * Carries the amount due of an invoice to the next invoice, and returns true. Returns false and changes nothing if the amount can be
   * charged, if the settings leave such invoices open, or if the customer has no subscription in the currency that goes on.
   */
  async carry(context: CommandContext, invoice: Invoice): Promise<boolean> {
    if (!isToBeCarried(invoice) || !(await this.hasNextInvoice(context.workspaceId, invoice))) return false;
    await this.commands.execute(new CarryForward(context, invoice.invoiceId));
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

/** Tells whether the settings carry such an amount, and the amount cannot be charged because it is too small. */
function isToBeCarried(invoice: Invoice): boolean {
  const { status, settings, attempts, currency } = invoice;
  if (status !== 'open' || !settings.autoCollect || !settings.carrySmallAmounts) return false;
  const due = new Decimal(amountToPay(invoice));
  const minimum = minimumCharge(currency);
  if (minimum !== undefined && due.lt(minimum)) return true;
  // The processor's own minimum can be larger, for example after a conversion to the currency of the seller's account.
  const last = attempts.at(-1);
  return last?.status === 'failed' && last.code === 'amount_too_small' && due.eq(last.amount);
}

/** A subscription goes on if it has a next period. One that is paused or to be canceled may have none. */
function goesOn({ phase, cancelAt }: Subscription): boolean {
  return phase !== 'canceled' && phase !== 'paused' && cancelAt === null;
}
