import { describe, expect, it } from '@jest/globals';
import { AppError } from '#libs/kernel/core';
import { decide } from '#libs/kernel/testing';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceCommand } from './invoice-command.js';
import { amountToPay } from '../invoice.js';
import { remainingLines } from '../remaining-lines.js';
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
  ...{ type: 'VoidCreditNote', at, invoiceId: 'inv_1', creditNoteId, reason: 'A mistake' },
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

describe('a credit note that is voided', () => {
  it('is due again, whether its invoice is open or written off', () => {
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

  it('leaves of the lines and the taxes what was there without it', () => {
    const history = [...credited(open, '100.00'), voided('100.00')];
    expect(remainingLines(invoiceOf(...history))).toEqual(remainingLines(invoiceOf(...open)));
    expect(toCreditableInvoice(invoiceOf(...history))).toEqual(toCreditableInvoice(invoiceOf(...open)));
    const again = credited(history, '133.34', null, '2');
    expect(again.at(-2)).toMatchObject({ type: 'InvoicePaid' });
  });

  it('counts no more in what can be refunded', () => {
    const history = [...credited(settled, '100.00', 'balance'), voided('100.00')];
    const all = credited(history, '133.34', 'refund', '2');
    expect(all.at(-2)).toMatchObject({
      data: { note: { toBalance: '0.00', refunded: '133.34' } },
    });
  });

  it('is void once, and says so', () => {
    const history = [...credited(open, '100.00'), voided('100.00')];
    given(...history)
      .when(voiding())
      .refused('credit_note_void');
    given(...open)
      .when(voiding())
      .refused('credit_note_not_found');
  });

  it('to the balance is void after the balance was debited, whoever comes to say so', () => {
    const history = credited(settled, '100.00', 'balance');
    given(...history)
      .when(voiding())
      .then(voided('100.00'));
    given(...history, voided('100.00'))
      .when(voiding())
      .then();
  });

  it('is not one that was refunded, or whose invoice is settled with it, and the answer names the remedy', () => {
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

  it('is not voided while a payment over less is under way', () => {
    given(...credited(open, '100.00'), started())
      .when(voiding())
      .refused('payment_in_progress');
  });

  it('has a number first, as the books need it', () => {
    given(...credited(open, '100.00').slice(0, -1))
      .when(voiding())
      .refused('not_numbered');
  });

  it('keeps its invoice from being voided no more', () => {
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
