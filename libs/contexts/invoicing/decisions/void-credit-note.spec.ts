import { describe, expect, it } from '@jest/globals';
import { AppError } from '#libs/kernel/core';
import { decide } from '#libs/kernel/testing';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceCommand } from './invoice-command.js';
import { amountToPay } from '../invoice.js';
import { creditableLines } from '../creditable-lines.js';
import { presentInvoice } from '../present.js';
import type { CreditNoteTarget } from '../credit-notes/credit-note.js';
import { toCreditableInvoice } from '../credit-notes/creditable-invoice.js';

const at = '2023-12-20T00:00:00.000Z';
const { created, opened, started, succeeded, paid } = sampleEvents;
/** Lines of 88.19 and 45.15. */
const open = [created(), opened()];
const settled = [...open, started(), succeeded(), paid()];
const about = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '133.34' };

/** The history with a numbered credit note. */
function credited(
  history: readonly InvoiceEvent[],
  amount: string,
  target: CreditNoteTarget | null = null,
  id = '1',
): InvoiceEvent[] {
  const note = { creditNoteId: `cn_${id}`, invoiceId: 'inv_1', at } as const;
  const asked = { reason: 'other', memo: null, credit: { amount }, target } as const;
  const issue: InvoiceCommand = { type: 'IssueCreditNote', ...note, ...asked };
  const issued = [...history, ...invoiceDecider.decide(issue, invoiceOf(...history))];
  const number: InvoiceCommand = { type: 'NumberCreditNote', ...note, number: `CN-${id}` };
  return [...issued, ...invoiceDecider.decide(number, invoiceOf(...issued))];
}

const voiding = (creditNoteId = 'cn_1'): InvoiceCommand => ({
  type: 'VoidCreditNote',
  at,
  invoiceId: 'inv_1',
  creditNoteId,
  reason: 'A mistake',
});
const voided = (amount: string, id = '1'): InvoiceEvent => ({
  type: 'CreditNoteVoided',
  data: { at, ...about, creditNoteId: `cn_${id}`, number: `CN-${id}`, amount, reason: 'A mistake' },
});
const messageOf = (history: readonly InvoiceEvent[], command = voiding()): string => {
  try {
    invoiceDecider.decide(command, invoiceOf(...history));
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return 'accepted';
};

const { given } = decide(invoiceDecider);

describe('a credit note whose refund is refused', () => {
  const pending = credited(settled, '100.00', 'refund');
  const refusal: InvoiceEvent = {
    type: 'CreditNoteRefundRefused',
    data: { at, ...about, creditNoteId: 'cn_1', amount: '100.00', message: 'The charge is disputed.' },
  };
  const refuse: InvoiceCommand = {
    type: 'RefuseRefund',
    at,
    invoiceId: 'inv_1',
    creditNoteId: 'cn_1',
    message: 'The charge is disputed.',
  };

  it('says why, once, and is never refunded later', () => {
    given(...pending)
      .when(refuse)
      .then(refusal);
    given(...pending, refusal)
      .when(refuse)
      .then();
    given(...pending, refusal)
      .when({ type: 'CompleteRefund', at, invoiceId: 'inv_1', creditNoteId: 'cn_1' })
      .then();
    expect(presentInvoice(invoiceOf(...pending, refusal)).status).toBe('paid');
    expect(invoiceOf(...pending, refusal).creditNotes).toMatchObject([
      { refundStatus: 'refused', refundRefusal: 'The charge is disputed.' },
    ]);
  });

  it('can be voided, and the amount credited to the balance', () => {
    expect(messageOf(pending)).toContain('refunded to the card');
    const history = [...pending, refusal, voided('100.00')];
    given(...pending, refusal)
      .when(voiding())
      .then(voided('100.00'));
    expect(messageOf(history)).toContain('void already');
    expect(invoiceOf(...credited(history, '100.00', 'balance', '2')).creditNotes[1]).toMatchObject({
      toBalance: '100.00',
      refunded: '0.00',
    });
  });
});

describe('a credit note whose refund fails after it was accepted', () => {
  const pending = credited(settled, '100.00', 'refund');
  const refund = { creditNoteId: 'cn_1', amount: '100.00' };
  const refunded: InvoiceEvent = { type: 'CreditNoteRefunded', data: { at, ...about, ...refund } };
  const report = { refundId: 're_1', amount: '100.00', failure: 'The card is closed.' };
  const fail: InvoiceCommand = {
    type: 'RecordRefundFailure',
    at,
    invoiceId: 'inv_1',
    attemptId: 'pay_1',
    refundKey: 'cn_1',
    ...report,
  };
  const failed: InvoiceEvent = {
    type: 'CreditNoteRefundFailed',
    data: { at, ...about, ...refund, refundId: 're_1', message: 'The card is closed.' },
  };

  it('says why, once, and can be voided', () => {
    given(...pending, refunded)
      .when(fail)
      .then(failed);
    given(...pending, refunded, failed)
      .when(fail)
      .then();
    expect(invoiceOf(...pending, refunded, failed).creditNotes).toMatchObject([
      { refundStatus: 'failed', refundRefusal: 'The card is closed.' },
    ]);
    given(...pending, refunded, failed)
      .when(voiding())
      .then(voided('100.00'));
  });

  it('counts as refused if the failure is reported first', () => {
    const refusal: InvoiceEvent = {
      type: 'CreditNoteRefundRefused',
      data: { at, ...about, ...refund, message: 'The card is closed.' },
    };
    given(...pending)
      .when(fail)
      .then(refusal);
    given(...pending, refusal)
      .when({ type: 'CompleteRefund', at, invoiceId: 'inv_1', creditNoteId: 'cn_1' })
      .then();
    given(...pending, refusal)
      .when(fail)
      .then();
  });
});

describe('a credit note that is voided', () => {
  it('increases the amount due again, on an open or uncollectible invoice', () => {
    const history = credited(open, '100.00');
    given(...history)
      .when(voiding())
      .then(voided('100.00'));
    const writtenOff: InvoiceEvent = {
      type: 'InvoiceMarkedUncollectible',
      data: { at, ...about, amount: '33.34' },
    };
    given(...history, writtenOff)
      .when(voiding())
      .then(voided('100.00'));
    const after = invoiceOf(...history, voided('100.00'));
    expect(amountToPay(after)).toBe('133.34');
    const { status, amountCredited } = presentInvoice(after);
    expect([status, JSON.stringify(amountCredited)]).toEqual(['open', '0.00']);
  });

  it('restores the remaining amounts of the lines and the taxes', () => {
    const history = [...credited(open, '100.00'), voided('100.00')];
    expect(creditableLines(invoiceOf(...history))).toEqual(creditableLines(invoiceOf(...open)));
    expect(toCreditableInvoice(invoiceOf(...history))).toEqual(toCreditableInvoice(invoiceOf(...open)));
    const again = credited(history, '133.34', null, '2');
    expect(again.at(-2)).toMatchObject({ type: 'InvoicePaid' });
  });

  it('does not reduce the refundable amounts any more', () => {
    const history = [...credited(settled, '100.00', 'balance'), voided('100.00')];
    const all = credited(history, '133.34', 'refund', '2');
    expect(all.at(-2)).toMatchObject({
      data: { note: { toBalance: '0.00', refunded: '133.34' } },
    });
  });

  it('is voided once, with its event', () => {
    const history = [...credited(open, '100.00'), voided('100.00')];
    given(...history)
      .when(voiding())
      .refused('credit_note_void');
    given(...open)
      .when(voiding())
      .refused('credit_note_not_found');
  });

  it('to the balance is void after the debit of the balance, whichever process records it', () => {
    const history = credited(settled, '100.00', 'balance');
    given(...history)
      .when(voiding())
      .then(voided('100.00'));
    given(...history, voided('100.00'))
      .when(voiding())
      .then();
  });

  it('is refused if it was refunded or if its invoice is paid after it, and the error names the remedy', () => {
    given(...credited(settled, '100.00'))
      .when(voiding())
      .refused('credit_note_refunded');
    const fromBoth = [created(), opened({ balanceApplied: '33.34' }), started(), succeeded(), paid()];
    given(...credited(fromBoth, '100.00'))
      .when(voiding())
      .refused('credit_note_refunded');
    const settling = credited(open, '133.34');
    given(...settling)
      .when(voiding())
      .refused('invoice_already_paid');
    for (const history of [credited(settled, '100.00'), settling])
      expect(messageOf(history)).toContain('POST /v1/invoices');
  });

  it('is refused while a payment of the reduced amount is in progress', () => {
    given(...credited(open, '100.00'), started())
      .when(voiding())
      .refused('payment_in_progress');
  });

  it('needs a number, because the ledger needs it', () => {
    given(...credited(open, '100.00').slice(0, -1))
      .when(voiding())
      .refused('not_numbered');
  });

  it('does not prevent a void of its invoice any more', () => {
    const history = credited(open, '100.00');
    const voidInvoice: InvoiceCommand = { type: 'VoidInvoice', at, invoiceId: 'inv_1', reason: null };
    given(...history)
      .when(voidInvoice)
      .refused('invoice_credited');
    expect(messageOf(history, voidInvoice)).toContain('/credit-notes/:creditNoteId/void');
    expect(
      given(...history, voided('100.00'))
        .when(voidInvoice)
        .events(),
    ).toMatchObject([{ type: 'InvoiceVoided' }]);
  });
});
