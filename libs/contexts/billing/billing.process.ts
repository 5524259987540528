import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { Coupons } from '#libs/contexts/coupons';
import { readingOnce, type CommandContext } from '#libs/kernel/event-store';
import { type Recorded, type RecordedEvent } from '#libs/kernel/domain';
import { Invoices, VoidedInvoices, type InvoiceEvent } from '#libs/contexts/invoicing';
import { contextOfTask, ProcessManager, type Task, type TaskRequest } from '#libs/kernel/saga';
import { thresholdsOf, type Bill, type SubscriptionEvent } from '#libs/contexts/subscriptions';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { BillInvoicer } from './invoice/bill-invoicer.js';
import { BillingCycles } from './advance/billing-cycles.js';
import { OverduePayments } from './payments/overdue-payments.js';
import { ProgressiveBilling } from './progressive/progressive-billing.js';

/** The tasks of billing, by name, with their payloads. */
interface Payloads {
  'issue-invoice': { bill: Bill };
  /** Do what is due: the end of a period, mostly. */
  'pass-boundary': { subscriptionId: string };
  /** Look whether usage has reached the threshold; also asked by {@link ThresholdTriggers}. */
  'bill-progress': { subscriptionId: string };
  /** See what the subscription must know of a payment of its invoice. */
  'note-payment': { invoiceId: string };
  /** See what its subscriptions must know of an invoice that was voided. */
  'note-void': { invoiceId: string };
  /** Let the coupons of an invoice that was voided count again. */
  'return-coupons': { invoiceId: string };
}

/**
 * Bills on a schedule: each instant at which a subscription has something due is a timer, and each bill that was decided
 * becomes an invoice. A timer that has been overtaken finds nothing to do.
 */
@Injectable()
export class BillingProcess extends ProcessManager {
  readonly name = 'billing';

  constructor(
    private readonly cycles: BillingCycles,
    private readonly invoicer: BillInvoicer,
    private readonly overdue: OverduePayments,
    private readonly voided: VoidedInvoices,
    private readonly invoices: Invoices,
    private readonly coupons: Coupons,
    private readonly clock: WorkspaceClock,
    private readonly progressive: ProgressiveBilling,
  ) {
    super();
  }

  override react(recorded: RecordedEvent): TaskRequest[] {
    const event = recorded as Recorded<SubscriptionEvent | InvoiceEvent>;
    switch (event.type) {
      case 'SubscriptionCreated':
      case 'SubscriptionAmended':
        return [
          ...invoiceOf(event.data.bill),
          timer(event.data, event.data.period.end),
          ...progressOf(event.data),
        ];
      case 'SubscriptionStarted':
      case 'SubscriptionTrialEnded':
      case 'SubscriptionRenewed':
      case 'SubscriptionResumed':
        return [...invoiceOf(event.data.bill), timer(event.data, event.data.period.end)];
      case 'SubscriptionPaused':
        return [...invoiceOf(event.data.bill), ...timers(event.data, event.data.resumeAt)];
      case 'SubscriptionPauseScheduled':
        return timers(event.data, event.data.pauseAt);
      case 'SubscriptionResumptionScheduled':
        return timers(event.data, event.data.resumeAt);
      case 'SubscriptionAmendmentScheduled':
        return timers(event.data, event.data.effectiveAt);
      case 'SubscriptionUsageBilled':
      case 'SubscriptionCanceled':
        return invoiceOf(event.data.bill);
      case 'SubscriptionCancellationScheduled':
        return [timer(event.data, event.data.at)];
      case 'SubscriptionCancellationWithdrawn':
      case 'SubscriptionPauseWithdrawn':
      case 'SubscriptionAmendmentCanceled':
      case 'SubscriptionAmendmentSkipped':
      case 'SubscriptionAmendmentFailed':
      case 'SubscriptionPaymentFailed':
      case 'SubscriptionPaymentSettled':
      case 'SubscriptionInvoiceVoided':
        return [];
      // A credit note, or a later invoice, may leave nothing to pay.
      case 'CreditNoteIssued':
      case 'InvoiceReduced':
      case 'PaymentFailed':
      case 'InvoiceMarkedUncollectible':
        return [paymentOf(event.data)];
      case 'InvoiceVoided':
        return [voidOf(event.data), paymentOf(event.data), couponsOf(event.data)];
      case 'PaymentSucceeded':
        // Nothing was overdue that is paid at the first try, as most is, unless it had been written off.
        return event.data.attempt === 1 && !event.data.writtenOff ? [] : [paymentOf(event.data)];
      case 'InvoiceCreated':
      case 'DraftRecomputed':
      case 'InvoiceOpened':
      case 'PaymentStarted':
      case 'PaymentActionRequired':
      case 'PaymentConfirmed':
      case 'InvoicePaid':
      case 'CreditNoteNumbered':
      case 'CreditNoteRefunded':
      case 'CreditNoteVoided':
      case 'InvoiceLinesGivenBack':
      case 'InvoiceGiveBackReturned':
      case 'PaymentRefundStarted':
      case 'PaymentRefunded':
        return [];
      default:
        return [];
    }
  }

  override async perform(task: Task): Promise<void> {
    const context = await contextOfTask(this.name, this.clock, task);
    switch (task.name as keyof Payloads) {
      case 'issue-invoice':
        await readingOnce(() =>
          this.invoicer.ensure(context, (task.payload as Payloads['issue-invoice']).bill),
        );
        return;
      case 'pass-boundary':
        await readingOnce(() =>
          this.cycles.catchUp(context, (task.payload as Payloads['pass-boundary']).subscriptionId),
        );
        return;
      case 'bill-progress':
        await this.progressive.look(context, (task.payload as Payloads['bill-progress']).subscriptionId);
        return;
      case 'note-payment':
        await this.overdue.note(context, (task.payload as Payloads['note-payment']).invoiceId);
        return;
      case 'note-void':
        await this.voided.note(context, (task.payload as Payloads['note-void']).invoiceId);
        return;
      case 'return-coupons':
        await this.returnCoupons(context, (task.payload as Payloads['return-coupons']).invoiceId);
        return;
    }
  }

  private async returnCoupons(context: CommandContext, invoiceId: string): Promise<void> {
    const { customerId, discounts } = await this.invoices.require(context.workspaceId, invoiceId);
    if (discounts) await this.coupons.returnUses(context, customerId, invoiceId);
  }
}

function invoiceOf(bill: Bill | null): TaskRequest[] {
  const payload = (of: Bill): Payloads['issue-invoice'] => ({ bill: of });
  return bill === null ? [] : [{ name: 'issue-invoice', payload: payload(bill) }];
}

function timer({ subscriptionId }: { subscriptionId: string }, dueAt: Instant): TaskRequest {
  const payload: Payloads['pass-boundary'] = { subscriptionId };
  return { name: 'pass-boundary', payload, dueAt };
}

function timers(subscription: { subscriptionId: string }, dueAt: Instant | null): TaskRequest[] {
  return dueAt === null ? [] : [timer(subscription, dueAt)];
}

/** There may be usage that reaches it already, and what is to come is watched. */
function progressOf(
  subscription: Parameters<typeof thresholdsOf>[0] & { subscriptionId: string },
): TaskRequest[] {
  if (thresholdsOf(subscription) === null) return [];
  const payload: Payloads['bill-progress'] = { subscriptionId: subscription.subscriptionId };
  return [{ name: 'bill-progress', payload }];
}

function paymentOf({ invoiceId }: { invoiceId: string }): TaskRequest {
  const payload: Payloads['note-payment'] = { invoiceId };
  return { name: 'note-payment', payload };
}

function voidOf({ invoiceId }: { invoiceId: string }): TaskRequest {
  const payload: Payloads['note-void'] = { invoiceId };
  return { name: 'note-void', payload };
}

function couponsOf({ invoiceId }: { invoiceId: string }): TaskRequest {
  const payload: Payloads['return-coupons'] = { invoiceId };
  return { name: 'return-coupons', payload };
}
