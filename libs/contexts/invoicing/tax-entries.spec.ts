import { describe, expect, it } from '@jest/globals';
import type { AppliedTax, InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleAddress, sampleEvents } from '../../../test/support/sample-invoice.js';
import type { CreditNote } from './credit-notes/credit-note.js';
import type { Invoice } from './invoice.js';
import { taxEntriesOf } from './tax-entries.js';

const VAT = { taxRateId: 'txr_1', name: 'VAT', percentage: '19', inclusive: false };
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
const note = (more: Partial<CreditNote>): CreditNote => ({
  creditNoteId: 'cn_1',
  number: 'CN-1',
  refundStatus: 'none',
  issuedAt: '2026-02-28T23:30:00.000Z',
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
const opened = (lines: InvoiceLine[], taxes: AppliedTax[], more: Partial<Invoice> = {}): Invoice => ({
  ...invoiceOf(
    sampleEvents.created({ lines, taxes, total: '159.00' }),
    sampleEvents.opened({ total: '159.00' }),
  ),
  issuedAt: '2026-01-31T12:00:00.000Z',
  timezone: 'UTC',
  ...more,
});
const shown = (invoice: Invoice) =>
  taxEntriesOf(invoice).map(({ document, date, taxRateId, net, tax }) => [
    document,
    date,
    taxRateId,
    net,
    tax,
  ]);

describe('what an invoice adds to a tax report', () => {
  const lines = [line('a', '100.00'), line('b', '40.00', { taxRateIds: [] })];
  const taxed = opened(lines, [{ ...VAT, taxable: '100.00', amount: '19.00' }]);

  it('is the amount of each rate, and what no rate taxes', () => {
    expect(shown(taxed)).toEqual([
      ['invoice', '2026-01-31', 'txr_1', '100.00', '19.00'],
      ['invoice', '2026-01-31', null, '40.00', '0.00'],
    ]);
  });

  it('is less the credit notes, and again more if they are voided, each on its own date', () => {
    const credited = note({
      taxes: [{ ...VAT, taxable: '50.00', amount: '9.50' }],
      allocations: [
        { lineId: 'a', amount: '50.00' },
        { lineId: 'b', amount: '10.00' },
      ],
    });
    const date = '2026-02-28';
    const entries = [
      ['credit_note', date, 'txr_1', '-50.00', '-9.50'],
      ['credit_note', date, null, '-10.00', '0.00'],
    ];
    expect(shown({ ...taxed, creditNotes: [credited] }).slice(2)).toEqual(entries);
    const voided = { ...credited, voidedAt: '2026-03-02T00:00:00.000Z', voidReason: null };
    expect(shown({ ...taxed, creditNotes: [voided] }).slice(2)).toEqual([
      ...entries,
      ['credit_note_void', '2026-03-02', 'txr_1', '50.00', '9.50'],
      ['credit_note_void', '2026-03-02', null, '10.00', '0.00'],
    ]);
  });

  it('is nothing in all if the invoice is void, and nothing for a draft', () => {
    const entries = shown({ ...taxed, status: 'void', voidedAt: '2026-02-03T00:00:00.000Z' });
    expect(entries.slice(2)).toEqual([
      ['invoice_void', '2026-02-03', 'txr_1', '-100.00', '-19.00'],
      ['invoice_void', '2026-02-03', null, '-40.00', '0.00'],
    ]);
    expect(taxEntriesOf({ ...taxed, status: 'draft', issuedAt: null })).toEqual([]);
  });

  it('has the dates of the time zone of the invoice, its country and its exemption', () => {
    const exempt = opened([line('a', '100.00')], [], {
      timezone: 'Asia/Tokyo',
      issuedAt: '2026-01-31T20:00:00.000Z',
      billToAddress: { ...sampleAddress, country: 'JP' },
      taxExemptionType: 'export',
    });
    expect(taxEntriesOf({ ...exempt, settings: { ...exempt.settings, timezone: null } })).toEqual([
      {
        document: 'invoice',
        date: '2026-02-01',
        country: 'JP',
        taxRateId: null,
        name: null,
        percentage: null,
        exemption: 'export',
        net: '100.00',
        tax: '0.00',
      },
    ]);
  });

  it('counts a tax that prices contain as tax', () => {
    const inclusive = { ...VAT, inclusive: true };
    const invoice = opened([line('a', '119.00')], [{ ...inclusive, taxable: '100.00', amount: '19.00' }]);
    expect(shown(invoice)).toEqual([['invoice', '2026-01-31', 'txr_1', '100.00', '19.00']]);
  });
});
