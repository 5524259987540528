import { NotFound } from '#libs/kernel/core';
import { defineDecider, erasedValue, mapPersonalFields } from '#libs/kernel/domain';
import type { InvoiceCommand } from './decisions/invoice-command.js';
import {
  completeCreditNoteRefund,
  issueCreditNote,
  numberCreditNote,
  recordCreditNoteRefundRefusal,
  voidCreditNote,
} from './decisions/credit-note.js';
import { createInvoice, openInvoice, recomputeDraft } from './decisions/draft.js';
import {
  recordDispute,
  recordGatewayRefunds,
  recordRefundFailure,
  recordTakenBack,
} from './decisions/gateway-report.js';
import { markUncollectible, voidInvoice } from './decisions/void-or-write-off.js';
import {
  reduceAmountDueByGiveBack,
  completePaymentRefund,
  recordGivenBackLines,
  startPaymentRefund,
  recordPaymentRefundRefusal,
  undoGiveBack,
} from './decisions/give-back.js';
import {
  completePayment,
  confirmPayment,
  endPaymentRetries,
  skipPaymentRetry,
  startPayment,
} from './decisions/payment.js';
import {
  carryForward,
  completeBalancePayment,
  recordPayment,
  reversePayment,
  startBalancePayment,
} from './decisions/recorded-payment.js';
import {
  hasUserWrittenLineDescriptions,
  invoiceEvents,
  PERSONAL_INVOICE_FIELDS,
  type InvoiceEvent,
} from './events.js';
import { evolve } from './evolve.js';
import type { Invoice } from './invoice.js';

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
      case 'SkipPaymentRetry':
        return skipPaymentRetry(command, known);
      case 'EndPaymentRetries':
        return endPaymentRetries(command, known);
      case 'RecordPayment':
        return recordPayment(command, known);
      case 'StartBalancePayment':
        return startBalancePayment(command, known);
      case 'CarryForward':
        return carryForward(command, known);
      case 'CompleteBalancePayment':
        return completeBalancePayment(command, known);
      case 'ReversePayment':
        return reversePayment(command, known);
      case 'IssueCreditNote':
        return issueCreditNote(command, known);
      case 'NumberCreditNote':
        return numberCreditNote(command, known);
      case 'CompleteRefund':
        return completeCreditNoteRefund(command, known);
      case 'RefuseRefund':
        return recordCreditNoteRefundRefusal(command, known);
      case 'VoidCreditNote':
        return voidCreditNote(command, known);
      case 'GiveBackLines':
        return recordGivenBackLines(command, known);
      case 'UndoGiveBack':
        return undoGiveBack(command, known);
      case 'ReduceByGiveBack':
        return reduceAmountDueByGiveBack(command, known);
      case 'RefundPayment':
        return startPaymentRefund(command, known);
      case 'CompletePaymentRefund':
        return completePaymentRefund(command, known);
      case 'RefusePaymentRefund':
        return recordPaymentRefundRefusal(command, known);
      case 'RecordDispute':
        return recordDispute(command, known);
      case 'RecordGatewayRefunds':
        return recordGatewayRefunds(command, known);
      case 'RecordTakenBack':
        return recordTakenBack(command, known);
      case 'RecordRefundFailure':
        return recordRefundFailure(command, known);
      case 'MarkUncollectible':
        return markUncollectible(command, known);
      case 'VoidInvoice':
        return voidInvoice(command, known);
    }
  },
  evolve,
  withoutPersonalData: (invoice) =>
    mapPersonalFields(
      invoice,
      [
        ...PERSONAL_INVOICE_FIELDS,
        'recordedPayments.*.reference',
        'recordedPayments.*.reversalReason',
        'voidReason',
        'attempts.*.method.label',
        'creditNotes.*.memo',
        'creditNotes.*.voidReason',
        ...(hasUserWrittenLineDescriptions(invoice.kind) ? ['lines.*.description'] : []),
      ],
      erasedValue,
    ),
});

/** Returns the invoice. Throws NotFound if the invoice was never created. */
export function requireInvoice(invoiceId: string, invoice: Invoice | undefined): Invoice {
  if (!invoice) throw NotFound.of('invoice', invoiceId);
  return invoice;
}
