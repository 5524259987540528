import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import type { CreditNote } from './credit-notes/credit-note.js';
import { subscriptionPartOf } from './invoice-parts.js';
import type { Invoice } from './invoice.js';
import { creditableLines, linesCreditableBy } from './creditable-lines.js';

const line = (id: string, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  id,
  type: 'flat',
  description: id,
  priceId: id,
  priceVersion: 1,
  quantity: '1',
  amount,
  periodStart: '2026-01-01T00:00:00.000Z',
  periodEnd: '2026-02-01T00:00:00.000Z',
  ...more,
});
const over = (total: string, ...lines: InvoiceLine[]): Invoice =>
  invoiceOf(sampleEvents.created({ total, lines }), sampleEvents.opened({ total }));
const note = (more: Partial<CreditNote>): CreditNote => ({
  creditNoteId: 'cn_1',
  number: null,
  refundStatus: 'none',
  issuedAt: '2026-01-02T00:00:00.000Z',
  reason: 'other',
  memo: null,
  lines: [],
  discount: '0.00',
  taxes: [],
  total: '0.00',
  unpaid: '0.00',
  toBalance: '0.00',
  refunded: '0.00',
  ...more,
});
const left = (invoice: Invoice): Record<string, string> =>
  Object.fromEntries(creditableLines(invoice).map((one) => [one.lineId, one.left]));

describe('the remaining amounts of the lines of an invoice', () => {
  const invoice = over('88.00', line('a', '60.00', { discount: '12.00' }), line('b', '40.00'));

  it('are the charges less the coupons of each line', () => {
    expect(creditableLines(invoice)).toEqual([
      { lineId: 'a', net: '48.00', left: '48.00' },
      { lineId: 'b', net: '40.00', left: '40.00' },
    ]);
    expect(left(over('40.00', line('a', '-20.00'), line('b', '60.00')))).toEqual({ a: '0.00', b: '60.00' });
  });

  it('are reduced by credit notes', () => {
    const allocations = [{ lineId: 'a', amount: '8.00' }];
    expect(left({ ...invoice, creditNotes: [note({ allocations }), note({ allocations })] })).toEqual({
      a: '32.00',
      b: '40.00',
    });
  });

  it('are reduced by deducted usage of earlier invoices, but not by its give-backs', () => {
    const usage = (id: string, amount: string, more: Partial<InvoiceLine> = {}) =>
      line(id, amount, { priceId: 'calls', ...more });
    const invoiced = { invoiceIds: ['inv_0'], billed: '50.00', counted: '80.00', atMost: '50.00' };
    const out = (more: Partial<InvoiceLine> = {}) => usage('out', '-50.00', { invoiced, ...more });
    expect(
      left(over('40.00', usage('a', '60.00'), usage('b', '20.00'), line('fee', '10.00'), out())),
    ).toEqual({ a: '22.50', b: '7.50', fee: '10.00', out: '0.00' });
    const givesBack = [{ invoiceId: 'inv_0', lineId: 'z', amount: '10.00' }];
    const half = usage('a', '80.00', { discount: '40.00' });
    expect(left(over('0.00', half, line('fee', '10.00'), out({ givesBack })))).toEqual({
      a: '0.00',
      fee: '10.00',
      out: '0.00',
    });
  });

  it('ignore the record of the invoice that gives back, until that invoice exists', () => {
    const lines = [{ lineId: 'a', amount: '48.00' }];
    const after = { ...invoice, givenBack: [{ byInvoiceId: 'inv_2', lines }] };
    const leftFor = (id: string) => linesCreditableBy(id, after).map((one) => one.left);
    expect([leftFor('inv_2'), leftFor('inv_3')]).toEqual([
      ['48.00', '40.00'],
      ['0.00', '40.00'],
    ]);
  });

  it('are not reduced by void credit notes', () => {
    const voided = { voidedAt: '2026-01-03T00:00:00.000Z' };
    const allocations = [{ lineId: 'a', amount: '8.00' }];
    const creditNotes = [note({ allocations, ...voided }), note({ total: '44.00', ...voided })];
    expect(left({ ...invoice, creditNotes })).toEqual({ a: '48.00', b: '40.00' });
  });

  it('are zero on a void invoice', () => {
    expect(left({ ...invoice, status: 'void' })).toEqual({ a: '0.00', b: '0.00' });
  });

  it('are reduced by an old note without allocations as at its time', () => {
    const lines = [{ id: 'a', amount: '30.00' }];
    expect(left({ ...invoice, creditNotes: [note({ lines, total: '24.00' })] })).toEqual({
      a: '24.00',
      b: '40.00',
    });
    expect(left({ ...invoice, creditNotes: [note({ total: '44.00' })] })).toEqual({ a: '24.00', b: '20.00' });
    // The part that line b gives back was paid with an earlier invoice.
    const less = over('30.00', line('a', '80.00'), line('b', '-50.00'));
    expect(left({ ...less, creditNotes: [note({ total: '30.00' })] })).toEqual({ a: '50.00', b: '0.00' });
  });

  it('are the same in the part of one subscription', () => {
    const ofTwo = {
      ...over(
        '100.00',
        line('a', '60.00', { subscriptionId: 'sub_1' }),
        line('b', '40.00', { subscriptionId: 'sub_2' }),
      ),
      subscriptionId: null,
      parts: [{ subscriptionId: 'sub_1' }, { subscriptionId: 'sub_2' }] as NonNullable<Invoice['parts']>,
      creditNotes: [note({ total: '50.00' })],
    };
    expect(left(subscriptionPartOf(ofTwo, 'sub_1')!)).toEqual({ a: '30.00' });
    expect(left(ofTwo)).toEqual({ a: '30.00', b: '20.00' });
  });
});
