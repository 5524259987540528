import { isDeepStrictEqual } from 'node:util';
import {
  Conflict,
  Decimal,
  InvalidRequest,
  moneyString,
  NotFound,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import type { ChargeOutcome } from '#libs/contexts/payments';
import { issuedNotes, requireCreditNote } from './credit-notes/credit-note.js';
import { decideCreditNote, type CreditNoteRequest } from './credit-notes/issue-credit-note.js';
import { requireVoidable } from './credit-notes/void-credit-note.js';
import {
  invoiceEvents,
  type ChargedMethod,
  type InvoiceDetails,
  type InvoiceEvent,
  type InvoiceReference,
  type Opening,
  type RecomputedAmounts,
} from './events.js';
import {
  decideGiveBack,
  giveBackBy,
  reductionBy,
  requireNoGiveBacks,
  requireNotUsed,
} from './give-backs/decide-give-back.js';
import type { GiveBack } from './give-backs/give-back.js';
import { paymentRefundBy } from './give-backs/payment-refund.js';
import {
  amountToPay,
  attemptRequiringAction,
  balanceUsed,
  dueAfter,
  evolve,
  pendingAttempt,
  type Invoice,
} from './invoice.js';

export type InvoiceCommand = { at: Instant; invoiceId: string } & (
  | { type: 'CreateInvoice'; details: InvoiceDetails }
  | { type: 'RecomputeDraft'; amounts: RecomputedAmounts }
  /** `opening` is for a draft, and `null` for what was none when it was looked at. */
  | { type: 'OpenInvoice'; opening: Opening | null }
  /** Opens a draft too. `method` is `null` for an invoice over nothing. */
  | { type: 'StartPayment'; attemptId: string; method: ChargedMethod | null; opening: Opening | null }
  | { type: 'ConfirmPayment' }
  | { type: 'CompletePayment'; attemptId: string; outcome: ChargeOutcome }
  | ({ type: 'IssueCreditNote' } & CreditNoteRequest)
  | { type: 'NumberCreditNote'; creditNoteId: string; number: string }
  | { type: 'CompleteRefund'; creditNoteId: string }
  /** What it gave the customer's balance has been taken out of that before. */
  | { type: 'VoidCreditNote'; creditNoteId: string; reason: string | null }
  /** What a later invoice gives back of this one. */
  | ({ type: 'GiveBackLines' } & GiveBack)
  /** That invoice was voided, or was not made. */
  | { type: 'ReturnGiveBack'; byInvoiceId: string }
  /** Takes at most `amount` of what it gave back off what is to be paid. */
  | { type: 'ApplyGiveBack'; byInvoiceId: string; amount: DecimalString }
  /** Refunds at most `amount` of what it gave back from what was paid of this one. */
  | { type: 'RefundPayment'; byInvoiceId: string; amount: DecimalString }
  /** The payment gateway has that. */
  | { type: 'CompletePaymentRefund'; byInvoiceId: string }
  | { type: 'MarkUncollectible' }
  | { type: 'VoidInvoice'; reason: string | null }
);

type Of<Type extends InvoiceCommand['type']> = Extract<InvoiceCommand, { type: Type }>;

export const invoiceDecider = defineDecider<Invoice, InvoiceCommand, InvoiceEvent>({
  category: 'invoice',
  events: invoiceEvents,
  decide(command, invoice) {
    if (command.type === 'CreateInvoice') return createInvoice(command, invoice);
    const known = requireInvoice(command.invoiceId, invoice);
    switch (command.type) {
      case 'RecomputeDraft':
        return recomputeDraft(command, known);
      case 'OpenInvoice':
        return openInvoice(command, known);
      case 'StartPayment':
        return startPayment(command, known);
      case 'ConfirmPayment':
        return confirmPayment(command, known);
      case 'CompletePayment':
        return completePayment(command, known);
      case 'IssueCreditNote':
        return issueCreditNote(command, known);
      case 'NumberCreditNote':
        return numberCreditNote(command, known);
      case 'CompleteRefund':
        return completeRefund(command, known);
      case 'VoidCreditNote':
        return voidCreditNote(command, known);
      case 'GiveBackLines':
        return giveBackLines(command, known);
      case 'ReturnGiveBack':
        return returnGiveBack(command, known);
      case 'ApplyGiveBack':
        return applyGiveBack(command, known);
      case 'RefundPayment':
        return refundPayment(command, known);
      case 'CompletePaymentRefund':
        return completePaymentRefund(command, known);
      case 'MarkUncollectible':
        return markUncollectible(command, known);
      case 'VoidInvoice':
        return voidInvoice(command, known);
    }
  },
  evolve,
});

/** The invoice, or NotFound if it was never created. */
export function requireInvoice(invoiceId: string, invoice: Invoice | undefined): Invoice {
  if (!invoice) throw NotFound.of('invoice', invoiceId);
  return invoice;
}

/** An invoice is made once: its id says what for, so a second one is the same one. */
function createInvoice({ at, details }: Of<'CreateInvoice'>, invoice: Invoice | undefined): InvoiceEvent[] {
  return invoice ? [] : [{ type: 'InvoiceCreated', data: { at, ...details } }];
}

/** Nothing for what is no draft any more, and for what comes to the same: the readings that it has say so as well. */
function recomputeDraft({ at, amounts }: Of<'RecomputeDraft'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status !== 'draft' || isDeepStrictEqual(chargedBy(amounts), chargedBy(invoice))) return [];
  return [{ type: 'DraftRecomputed', data: { at, ...referenceOf(invoice), ...amounts } }];
}

/** What is charged, without how far the usage log had been read. */
function chargedBy({ lines, discounts, taxes, total, excess }: RecomputedAmounts) {
  const charged = lines.map(({ usageWatermark: _, ...line }) => line);
  return { lines: charged, discounts, taxes, total, excess };
}

function openInvoice({ at, opening }: Of<'OpenInvoice'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status !== 'draft')
    throw new InvalidRequest(
      'invoice_not_draft',
      `The invoice is ${invoice.status}; only a draft can be approved`,
    );
  return opened(at, required(opening), invoice);
}

/** What leaves nothing to pay, with the customer's balance or by itself, is paid as it is opened, without a charge. */
function opened(at: Instant, opening: Opening, invoice: Invoice): InvoiceEvent[] {
  const reference = referenceOf(invoice);
  const { number, sellerName } = opening;
  const dueDate = dueAfter(at, invoice.settings.netDays);
  const data = {
    ...{ at, ...reference, kind: invoice.kind, number, sellerName, dueDate },
    ...(opening.balance === undefined ? {} : { balanceApplied: balanceUsed(invoice, opening) }),
    ...(invoice.excess === undefined ? {} : { balanceCredited: invoice.excess }),
  };
  const events: InvoiceEvent[] = [{ type: 'InvoiceOpened', data }];
  if (isNothing(amountToPay(invoice, opening)))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** The start is recorded before anything is charged: of two that start at once, the stream lets one through. */
function startPayment(
  { at, attemptId, method, opening }: Of<'StartPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  requirePayable(invoice);
  const isDraft = invoice.status === 'draft';
  const opens = isDraft ? opened(at, required(opening), invoice) : [];
  const amount = amountToPay(invoice, isDraft ? opening : null);
  if (isNothing(amount)) return opens;
  // Nothing was owed when the command was made: another request has computed the draft again since.
  if (method === null)
    throw new Conflict(
      'concurrent_modification',
      'The invoice came to more while it was being paid; try again',
    );
  return [
    ...opens,
    {
      type: 'PaymentStarted',
      data: {
        at,
        ...referenceOf(invoice),
        attemptId,
        attempt: invoice.attempts.length + 1,
        amount,
        method,
      },
    },
  ];
}

function confirmPayment({ at }: Of<'ConfirmPayment'>, invoice: Invoice): InvoiceEvent[] {
  requirePayable(invoice);
  const attempt = attemptRequiringAction(invoice);
  if (!attempt)
    throw new InvalidRequest(
      'no_action_required',
      'No payment over what is owed on this invoice waits for a confirmation; pay it instead',
    );
  return [{ type: 'PaymentConfirmed', data: { at, ...referenceOf(invoice), attemptId: attempt.attemptId } }];
}

/** Two may bring the same outcome, whoever charged and whoever looked after it: the first one is recorded. */
function completePayment(
  { at, attemptId, outcome }: Of<'CompletePayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const attempt = invoice.attempts.find((one) => one.attemptId === attemptId);
  if (attempt?.status !== 'pending') return [];
  const reference = { at, ...referenceOf(invoice), attemptId };
  const about = {
    ...reference,
    ...(invoice.status === 'uncollectible' ? { writtenOff: true as const } : {}),
  };
  switch (outcome.status) {
    case 'succeeded':
      return [
        {
          type: 'PaymentSucceeded',
          data: { ...about, attempt: attempt.attempt, amount: attempt.amount },
        },
        { type: 'InvoicePaid', data: reference },
      ];
    case 'failed': {
      const { code, message } = outcome;
      return [{ type: 'PaymentFailed', data: { ...about, attempt: attempt.attempt, code, message } }];
    }
    case 'requires_action':
      return [{ type: 'PaymentActionRequired', data: { ...about, message: outcome.message } }];
  }
}

/** Two that fit alone and not together meet here: the second one sees what the first one took. */
function issueCreditNote(command: Of<'IssueCreditNote'>, invoice: Invoice): InvoiceEvent[] {
  const { at } = command;
  requireNoneInProgress(invoice);
  const note = decideCreditNote(command, invoice);
  const reference = referenceOf(invoice);
  const events: InvoiceEvent[] = [{ type: 'CreditNoteIssued', data: { at, ...reference, note } }];
  // Nothing is left to be paid: it is settled.
  if (invoice.status !== 'paid' && new Decimal(amountToPay(invoice)).eq(note.unpaid))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** Whoever comes first numbers it; the number is reserved under its id, so all bring the same. */
function numberCreditNote(
  { at, creditNoteId, number }: Of<'NumberCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.number !== null) return [];
  const { total: amount, reason } = note;
  const data = { at, ...referenceOf(invoice), creditNoteId, number, amount, reason };
  return [{ type: 'CreditNoteNumbered', data }];
}

function completeRefund({ at, creditNoteId }: Of<'CompleteRefund'>, invoice: Invoice): InvoiceEvent[] {
  const note = invoice.creditNotes.find((one) => one.creditNoteId === creditNoteId);
  if (note?.refundStatus !== 'pending') return [];
  const data = { at, ...referenceOf(invoice), creditNoteId, amount: note.refunded };
  return [{ type: 'CreditNoteRefunded', data }];
}

/** A charge that is under way is over the amount that is due by the note. */
function voidCreditNote(
  { at, creditNoteId, reason }: Of<'VoidCreditNote'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const note = requireCreditNote(creditNoteId, invoice.creditNotes);
  requireVoidable(note, invoice);
  if (note.voidedAt !== undefined) return [];
  requireNoneInProgress(invoice);
  const { number, total: amount } = note;
  if (number === null)
    throw new Conflict('not_numbered', 'The credit note has no number yet; try again in a moment');
  return [
    { type: 'CreditNoteVoided', data: { at, ...referenceOf(invoice), creditNoteId, number, amount, reason } },
  ];
}

/** Whatever becomes of the invoice's payment: what is given back does not change what is owed of it. */
function giveBackLines(
  { at, byInvoiceId, lines, taxes }: Of<'GiveBackLines'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const asked = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
  const decision = decideGiveBack(asked, invoice);
  const about = { at, ...referenceOf(invoice) };
  return [
    ...(decision?.returned
      ? [{ type: 'InvoiceGiveBackReturned' as const, data: { ...about, byInvoiceId } }]
      : []),
    ...(decision?.given
      ? [{ type: 'InvoiceLinesGivenBack' as const, data: { ...about, ...decision.given } }]
      : []),
  ];
}

function returnGiveBack({ at, byInvoiceId }: Of<'ReturnGiveBack'>, invoice: Invoice): InvoiceEvent[] {
  if (!giveBackBy(byInvoiceId, invoice)) return [];
  requireNotUsed(byInvoiceId, invoice);
  return [{ type: 'InvoiceGiveBackReturned', data: { at, ...referenceOf(invoice), byInvoiceId } }];
}

/** A charge that is under way may succeed, and would take too much. */
function refundPayment(
  { at, byInvoiceId, amount: most }: Of<'RefundPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = paymentRefundBy(byInvoiceId, most, invoice);
  if (refund.isZero()) return [];
  const amount = moneyString(refund, invoice.currency);
  return [{ type: 'PaymentRefundStarted', data: { at, ...referenceOf(invoice), byInvoiceId, amount } }];
}

function completePaymentRefund(
  { at, byInvoiceId }: Of<'CompletePaymentRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.refunds.find((one) => one.byInvoiceId === byInvoiceId);
  if (refund?.status !== 'pending') return [];
  const { amount } = refund;
  return [{ type: 'PaymentRefunded', data: { at, ...referenceOf(invoice), byInvoiceId, amount } }];
}

function applyGiveBack(
  { at, byInvoiceId, amount: most }: Of<'ApplyGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const reduction = reductionBy(byInvoiceId, most, invoice);
  if (reduction.isZero()) return [];
  requireNoneInProgress(invoice);
  const reference = { at, ...referenceOf(invoice) };
  const amount = moneyString(reduction, invoice.currency);
  const events: InvoiceEvent[] = [
    {
      type: 'InvoiceReduced',
      data: {
        ...{ ...reference, byInvoiceId, amount },
        ...(invoice.status === 'uncollectible' ? { writtenOff: true as const } : {}),
      },
    },
  ];
  if (reduction.eq(amountToPay(invoice)))
    events.push({ type: 'InvoicePaid', data: { ...reference, attemptId: null } });
  return events;
}

function markUncollectible({ at }: Of<'MarkUncollectible'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status !== 'open')
    throw new InvalidRequest(
      'invoice_not_open',
      `The invoice is ${invoice.status}; only an open one can be marked uncollectible`,
    );
  requireNoneInProgress(invoice);
  const amount = amountToPay(invoice);
  return [{ type: 'InvoiceMarkedUncollectible', data: { at, ...referenceOf(invoice), amount } }];
}

/** A charge that is under way may succeed, so the invoice is not voided under it. */
function voidInvoice({ at, reason }: Of<'VoidInvoice'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status === 'paid')
    throw new InvalidRequest(
      'invoice_already_paid',
      'The invoice is paid, and what is paid cannot be voided',
    );
  if (invoice.status === 'void') throw new InvalidRequest('invoice_void', 'The invoice is void already');
  if (issuedNotes(invoice.creditNotes).length > 0)
    throw new InvalidRequest(
      'invoice_credited',
      'The invoice has credit notes. Void them first with POST /v1/invoices/:id/credit-notes/:creditNoteId/void, or credit the rest of it',
    );
  requireNoGiveBacks(invoice);
  requireNoneInProgress(invoice);
  return [{ type: 'InvoiceVoided', data: { at, ...referenceOf(invoice), number: invoice.number, reason } }];
}

/** Refuses what cannot be paid (now). */
export function requirePayable(invoice: Invoice): void {
  if (invoice.status === 'paid')
    throw new InvalidRequest('invoice_already_paid', 'The invoice is paid already');
  if (invoice.status === 'void')
    throw new InvalidRequest('invoice_void', 'The invoice is void and cannot be paid');
  requireNoneInProgress(invoice);
}

/** Whether an amount is zero. */
export function isNothing(amount: DecimalString): boolean {
  return new Decimal(amount).isZero();
}

function requireNoneInProgress(invoice: Invoice): void {
  if (pendingAttempt(invoice))
    throw new InvalidRequest(
      'payment_in_progress',
      'A payment of this invoice is under way; look at its payment attempts and try again when it has ended',
    );
}

/** The opening that the command's handler must have brought for a draft. */
function required(opening: Opening | null): Opening {
  if (opening === null) throw new Error('The command lacks what the draft is opened with');
  return opening;
}

function referenceOf({ invoiceId, customerId, currency, total }: Invoice): InvoiceReference {
  return { invoiceId, customerId, currency, total };
}
