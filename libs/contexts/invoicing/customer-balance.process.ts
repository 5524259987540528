import { Injectable } from '@nestjs/common';
import { Balances, type BalanceEvent, type BalanceKeyWithInvoice } from '#libs/contexts/balances';
import { moneyString, type DecimalString } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import {
  ProcessManager,
  reactByEventType,
  waitWhileRefused,
  type TaskHandlers,
  type TaskRequest,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { notVoidedCreditNotes } from './credit-notes/credit-note.js';
import { CreditNoteCompleter } from './credit-notes/credit-note-completer.js';
import { invoiceDecider } from './decider.js';
import type { InvoiceEvent } from './events.js';
import { returnsToTakeBack } from './gateway-returns.js';
import { paymentRefundId, sourceInvoiceIds } from './give-backs/give-back.js';
import { GiveBackRecorder } from './give-backs/give-back-recorder.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { isZeroAmount } from './invoice.js';
import { Invoices } from './invoices.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';
import { BalancePaymentCompleter } from './recorded-payments/balance-payment-completer.js';
import { creditPaymentExcess } from './recorded-payments/credit-payment-excess.js';

interface Tasks {
  /** The amount to credit is the invoice's excess, or the amount of a credit note on the invoice. */
  'credit-balance': { invoice: BalanceKeyWithInvoice; amount: DecimalString; creditNoteId?: string };
  'settle-balance': { invoiceId: string };
  'return-give-backs': { invoiceId: string };
  'void-credit-note': { invoiceId: string; creditNoteId: string; reason: string | null };
  /** The amount to credit is the part of a recorded payment above the amount due. */
  'credit-excess': { invoice: BalanceKeyWithInvoice; paymentId: string; amount: DecimalString };
  'reverse-payment': { invoiceId: string; paymentId: string; reason: string };
  /**
   * The amount of a refund that the payment gateway refused, or that failed. `byInvoiceId` is the later invoice that gave the refunded
   * amount back.
   */
  'credit-refused-refund': { invoice: BalanceKeyWithInvoice; byInvoiceId: string; amount: DecimalString };
  /** Takes off the balance what went back at the payment processor too. */
  'take-back': { invoiceId: string };
  'record-taken-back': { invoiceId: string; returnId: string; total: DecimalString };
  /** Adds to the balance an amount of a refund at the payment processor that failed. */
  'credit-failed-return': { invoice: BalanceKeyWithInvoice; sourceId: string; amount: DecimalString };
  /** Completes a payment from the balance, or returns its amount to the balance. */
  'complete-balance-payment': { invoiceId: string; paymentId: string };
}

/**
 * Updates customer balances after events of invoices. If an opened invoice gives back more than it charges, the excess first reduces the
 * amounts due of earlier invoices. The rest is refunded if the invoice says so, or added to the balance. If an invoice is voided, or is
 * opened with a total below the amount that was taken from the balance, the unused amount goes back to the balance. A debt that the invoice
 * does not collect goes back too. If an invoice is voided, its give-backs of earlier invoices are undone. A credit note whose amount was
 * removed from the balance is voided. The part of a recorded payment above the amount due is added to the balance. A refund that failed or
 * that the payment gateway refused is also added to the balance. What went back at the payment processor too is taken off the balance.
 * Payments from the balance are completed.
 */
@Injectable()
export class CustomerBalanceProcess extends ProcessManager<Tasks> {
  readonly name = 'balances';

  constructor(
    clock: WorkspaceClock,
    private readonly aggregates: AggregateStore,
    private readonly balances: Balances,
    private readonly finalizer: InvoiceFinalizer,
    private readonly creditNotes: CreditNoteCompleter,
    private readonly invoices: Invoices,
    private readonly giveBacks: GiveBackRecorder,
    private readonly excessSettler: ExcessSettler,
    private readonly balancePayments: BalancePaymentCompleter,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<InvoiceEvent | BalanceEvent, Tasks>({
    InvoiceOpened: ({ data }) => {
      const { invoiceId, customerId, currency, balanceCredited: amount, balanceApplied } = data;
      const invoice = { invoiceId, customerId, currency };
      return [
        ...(amount === undefined ? [] : [{ name: 'credit-balance', payload: { invoice, amount } } as const]),
        ...(balanceApplied === undefined
          ? []
          : [{ name: 'settle-balance', payload: { invoiceId } } as const]),
      ];
    },
    // The balance and the invoice can change in either order. Only the task of the later event sees both changes.
    BalanceApplied: ({ data: { invoiceId } }) => [{ name: 'settle-balance', payload: { invoiceId } }],
    BalanceDebtApplied: ({ data: { invoiceId } }) => [{ name: 'settle-balance', payload: { invoiceId } }],
    // The process that voids an invoice also undoes its give-backs. This task does so if that process crashes first.
    InvoiceVoided: ({ data: { invoiceId } }) => [
      { name: 'settle-balance', payload: { invoiceId } },
      { name: 'return-give-backs', payload: { invoiceId } },
    ],
    // The process that issues a credit note also credits the balance. This task does so if that process crashes first.
    CreditNoteIssued: ({ data: { invoiceId, customerId, currency, note } }) => {
      const { creditNoteId, toBalance: amount } = note;
      if (isZeroAmount(amount)) return [];
      const invoice = { invoiceId, customerId, currency };
      return [{ name: 'credit-balance', payload: { invoice, amount, creditNoteId } }];
    },
    // The process that voids a credit note also records the void on the invoice. This task does so if that process crashes first.
    BalanceDebited: ({ data: { invoiceId, creditNoteId, reason } }) => [
      { name: 'void-credit-note', payload: { invoiceId, creditNoteId, reason } },
    ],
    // The process that records, reverses or starts a payment also does what follows. These tasks do so if that process crashes first.
    PaymentRecorded: ({ data: { invoiceId, customerId, currency, paymentId, toBalance: amount } }) => {
      if (amount === undefined) return [];
      const invoice = { invoiceId, customerId, currency };
      return [{ name: 'credit-excess', payload: { invoice, paymentId, amount } }];
    },
    PaymentRefundRefused: ({ data }) => [creditUnpaidRefund(data)],
    PaymentRefundFailed: ({ data }) => [creditUnpaidRefund(data)],
    GatewayRefundFound: ({ data }) => takeBackOf(data),
    PaymentDisputeClosed: ({ data }) => takeBackOf(data),
    BalanceTakenBack: ({ data: { invoiceId, returnId, total } }) => [
      { name: 'record-taken-back', payload: { invoiceId, returnId, total } },
    ],
    GatewayRefundFailed: ({ data: { refundId: sourceId, toBalance: amount, ...data } }) =>
      amount === undefined ? [] : [creditFailedReturn(data, sourceId, amount)],
    // The refund failed while its amount was being taken off the balance.
    ReturnedMoneyTakenBack: ({ data }) =>
      data.refundFailed ? [creditFailedReturn(data, `${data.returnId}.late`, data.amount)] : [],
    BalanceExcessRemoved: ({ data: { invoiceId, paymentId, reason } }) => [
      { name: 'reverse-payment', payload: { invoiceId, paymentId, reason } },
    ],
    BalancePaymentStarted: ({ data }) => [completeBalancePayment(data)],
    BalanceWithdrawn: ({ data }) => [completeBalancePayment(data)],
    RecordedPaymentReversed: ({ data }) => (data.method === 'balance' ? [completeBalancePayment(data)] : []),
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'credit-balance': async ({ invoice, amount, creditNoteId }, context) => {
      if (creditNoteId === undefined) return this.addExcess(context, invoice, amount);
      await this.creditNotes.creditBalance(context, invoice, { creditNoteId, toBalance: amount });
      await this.takeBack(context, invoice.invoiceId);
    },
    'settle-balance': ({ invoiceId }, context) => this.finalizer.returnUnusedBalance(context, invoiceId),
    'return-give-backs': async ({ invoiceId }, context) =>
      this.giveBacks.undoGiveBacks(context, await this.invoices.require(context.workspaceId, invoiceId)),
    'void-credit-note': async (payload, context) => {
      const id = aggregateId(context.workspaceId, payload.invoiceId);
      const command = { type: 'VoidCreditNote', at: context.now, ...payload } as const;
      await waitForPayment(this.aggregates.execute(invoiceDecider, id, context, command));
    },
    'credit-excess': ({ invoice, paymentId, amount: toBalance }, context) =>
      creditPaymentExcess(this.balances, context, invoice, { paymentId, toBalance }),
    'credit-refused-refund': async ({ invoice, byInvoiceId, amount }, context) => {
      await this.balances.credit(context, invoice, {
        amount,
        source: 'refund',
        sourceId: paymentRefundId(invoice.invoiceId, byInvoiceId),
        invoiceId: byInvoiceId,
      });
      await this.takeBack(context, invoice.invoiceId);
    },
    'take-back': ({ invoiceId }, context) => this.takeBack(context, invoiceId),
    'record-taken-back': async (payload, context) => {
      const id = aggregateId(context.workspaceId, payload.invoiceId);
      const command = { type: 'RecordTakenBack', at: context.now, ...payload } as const;
      await this.aggregates.execute(invoiceDecider, id, context, command);
    },
    'credit-failed-return': ({ invoice, sourceId, amount }, context) =>
      this.balances.credit(context, invoice, {
        amount,
        source: 'refund',
        sourceId,
        invoiceId: invoice.invoiceId,
      }),
    'reverse-payment': async (payload, context) => {
      const id = aggregateId(context.workspaceId, payload.invoiceId);
      const command = { type: 'ReversePayment', at: context.now, ...payload } as const;
      await waitForPayment(this.aggregates.execute(invoiceDecider, id, context, command));
    },
    'complete-balance-payment': async ({ invoiceId, paymentId }, context) => {
      await this.balancePayments.complete(context, invoiceId, paymentId);
    },
  };

  /**
   * Settles the excess of an invoice: reduces the amounts due of earlier invoices, makes refunds, and adds the rest to the balance. If the
   * rest was already added to the balance, a repeated call does nothing. Without this rule, a repeated call could also reduce an earlier
   * draft that was opened meanwhile.
   */
  private async addExcess(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    excess: DecimalString,
  ): Promise<void> {
    const { workspaceId } = context;
    const { invoiceId: sourceId } = invoice;
    if (!(await this.balances.wasCreditedBy(workspaceId, invoice, sourceId))) {
      const amount = await waitForPayment(this.excessSettler.settle(context, sourceId, excess));
      if (isZeroAmount(amount)) return;
      await this.balances.credit(context, invoice, { amount, source: 'invoice', sourceId });
    }
    const { lines } = await this.invoices.require(workspaceId, sourceId);
    for (const earlierId of sourceInvoiceIds(lines)) await this.takeBack(context, earlierId);
  }

  /**
   * Takes off the balance what credit notes or later invoices of an invoice gave to it although the same money went back at the payment
   * processor. At most what the balance holds is taken. Credit notes that are not on the balance yet are credited first.
   */
  private async takeBack(context: CommandContext, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    const { currency, customerId } = invoice;
    const toTake = returnsToTakeBack(invoice).filter(({ amount, takenBack }) => amount.gt(takenBack));
    if (toTake.length === 0) return;
    const key = { invoiceId, customerId, currency };
    for (const note of notVoidedCreditNotes(invoice.creditNotes))
      await this.creditNotes.creditBalance(context, key, note);
    for (const { returnId, amount } of toTake)
      await this.balances.takeBack(context, key, { returnId, most: moneyString(amount, currency) });
  }
}

/** Throws Unavailable while a payment of the invoice is in progress, because a charge can stay in progress for more than two days. */
function waitForPayment<Result>(work: Promise<Result>): Promise<Result> {
  return waitWhileRefused('payment_in_progress', work);
}

/** The task that follows money that went back at the payment processor, if a part of it had been given back before. */
function takeBackOf({
  invoiceId,
  excess,
}: {
  invoiceId: string;
  excess?: DecimalString;
}): TaskRequest<Tasks>[] {
  return excess === undefined ? [] : [{ name: 'take-back', payload: { invoiceId } }];
}

function creditFailedReturn(
  { invoiceId, customerId, currency }: BalanceKeyWithInvoice,
  sourceId: string,
  amount: DecimalString,
): TaskRequest<Tasks> {
  const invoice = { invoiceId, customerId, currency };
  return { name: 'credit-failed-return', payload: { invoice, sourceId, amount } };
}

function creditUnpaidRefund({
  invoiceId,
  customerId,
  currency,
  byInvoiceId,
  amount,
}: BalanceKeyWithInvoice & { byInvoiceId: string; amount: DecimalString }): TaskRequest<Tasks> {
  const invoice = { invoiceId, customerId, currency };
  return { name: 'credit-refused-refund', payload: { invoice, byInvoiceId, amount } };
}

function completeBalancePayment({
  invoiceId,
  paymentId,
}: Tasks['complete-balance-payment']): TaskRequest<Tasks> {
  return { name: 'complete-balance-payment', payload: { invoiceId, paymentId } };
}
