import { describe, expect, it } from '@jest/globals';
import { Conflict, type PostalAddress } from '#libs/kernel/core';
import { ERASED } from '#libs/kernel/event-store';
import { BILLING_DEFAULTS, type Invoice } from '#libs/contexts/invoicing';
import {
  eCreditNoteSample,
  eInvoiceSample,
  vatRate,
  type Ingredients,
} from '../../../../test/support/e-invoicing.js';
import { invoiceOf, sampleEvents, sampleSeller } from '../../../../test/support/sample-invoice.js';
import { readCii, readUbl } from '../../../../test/support/en16931/index.js';
import { eCreditNoteOf, eInvoiceOf } from './e-invoice-of.js';
import { writeXml } from './e-invoice-writer.js';

const calls = {
  type: 'usage',
  description: 'Calls',
  quantity: '1000',
  unitPrice: '0.1',
  amount: '100.00',
} as const;
const unused = {
  type: 'credit',
  description: 'Seats (unused part of the period)',
  quantity: '1',
  amount: '-40.00',
} as const;
const sample = (others: Partial<Ingredients> = {}): Invoice =>
  eInvoiceSample({ currency: 'EUR', lines: [calls], rate: vatRate('19'), ...others });

describe('an invoice as e-invoice', () => {
  it('says who charges whom for what, by the calendar of the customer', () => {
    expect(eInvoiceOf(sample({ change: { timezone: 'America/New_York' } }))).toMatchObject({
      typeCode: '380',
      number: 'INV-000042',
      issueDate: '2023-12-15',
      dueDate: '2024-01-14',
      period: { start: '2023-11-15', end: '2023-12-15' },
      seller: { name: 'Contoso GmbH', vatId: 'DE123456789', registrationNumber: 'HRB 1234 B' },
      buyer: { name: 'Northwind Ltd', vatId: 'FR40303265045', address: { country: 'FR' } },
      payment: { code: '58', iban: 'DE89370400440532013000', reference: 'INV-000042' },
      lines: [
        { id: '1', name: 'Calls', quantity: '1000', price: '0.10', baseQuantity: '1', amount: '100.00' },
      ],
    });
  });

  it('is dated by the calendar of the workspace, if it has chosen one', () => {
    const settings = { ...sample().settings, timezone: 'Pacific/Auckland' };
    expect(eInvoiceOf(sample({ change: { timezone: 'America/New_York', settings } }))).toMatchObject({
      issueDate: '2023-12-16',
      dueDate: '2024-01-15',
      period: { start: '2023-11-15', end: '2023-12-15' },
    });
  });

  it('has the sums of the invoice', () => {
    const coupons = [{ couponId: 'c', discount: { type: 'fixed', amount: '10', currency: 'EUR' } as const }];
    expect(eInvoiceOf(sample({ lines: [calls, unused], coupons, balance: '20' }))).toMatchObject({
      vat: [{ code: 'S', percent: '19', reason: null, taxable: '50.00', amount: '9.50' }],
      allowances: [{ reason: 'Coupon c', amount: '10.00' }],
      lines: [
        {},
        { name: 'Seats (unused part of the period)', quantity: '-1', price: '40.00', amount: '-40.00' },
      ],
      totals: {
        lines: '60.00',
        allowances: '10.00',
        withoutVat: '50.00',
        vat: '9.50',
        withVat: '59.50',
        prepaid: '20.00',
        rounding: '0.00',
        due: '39.50',
      },
    });
  });

  it('is without the tax that prices contain', () => {
    const fee = {
      type: 'flat',
      description: 'Fee',
      quantity: '1',
      unitPrice: '119',
      amount: '119.00',
    } as const;
    expect(eInvoiceOf(sample({ lines: [fee], rate: vatRate('19', true) }))).toMatchObject({
      vat: [{ taxable: '100.00', amount: '19.00' }],
      lines: [{ price: '100.00', amount: '100.00' }],
      totals: { withVat: '119.00', due: '119.00' },
    });
  });

  it('counts the amount for the balance as paid, if it gives back more than it charges', () => {
    expect(eInvoiceOf(sample({ lines: [unused] })).totals).toMatchObject({
      withoutVat: '-40.00',
      vat: '-7.60',
      withVat: '-47.60',
      prepaid: '-47.60',
      due: '0.00',
    });
  });

  it('counts payments outside the gateway as paid, without their excess', () => {
    const { created, recorded, opened } = sampleEvents;
    const { status: _, ...open } = sample();
    const partly = invoiceOf(created(open), opened(), recorded({ amount: '60.00' }));
    expect(eInvoiceOf(partly).totals).toMatchObject({ prepaid: '60.00', due: '59.00' });
    const whole = invoiceOf(created(open), opened(), recorded({ amount: '130.00', toBalance: '11.00' }));
    expect(eInvoiceOf(whole).totals).toMatchObject({ prepaid: '119.00', due: '0.00' });
  });

  it('has nothing due when it is paid', () => {
    const { started, succeeded, paid, opened } = sampleEvents;
    const { status: _, ...open } = sample();
    const charge = [started(1, { amount: '119.00' }), succeeded({ amount: '119.00' })];
    const events = [sampleEvents.created(open), opened(), ...charge, paid()];
    expect(eInvoiceOf(invoiceOf(...events)).totals).toMatchObject({ prepaid: '119.00', due: '0.00' });
  });

  it.each([
    ['exempt', 'E', null, '0', 'DE123456789'],
    ['reverse_charge', 'AE', 'VATEX-EU-AE', '0', 'DE123456789'],
    ['export', 'G', 'VATEX-EU-G', '0', 'DE123456789'],
    ['not_subject', 'O', 'VATEX-EU-O', null, null],
  ] as const)('says why there is no tax: %s', (taxExemptionType, code, reasonCode, percent, vatId) => {
    const change = { taxExemption: 'As agreed', taxExemptionType };
    const { vat, seller } = eInvoiceOf(sample({ rate: undefined, change }));
    expect(vat).toEqual([
      { code, percent, reason: 'As agreed', reasonCode, taxable: '100.00', amount: '0.00' },
    ]);
    expect(seller.vatId).toBe(vatId);
  });

  it('is zero-rated if its tax rate is zero', () => {
    const [vat] = eInvoiceOf(sample({ rate: vatRate('0') })).vat;
    expect(vat).toMatchObject({ code: 'Z', percent: '0', reason: null });
  });

  it('has a breakdown for each rate, and each coupon off the lines of one', () => {
    const rates = [vatRate('7', false, 'tax_7'), vatRate('19', true, 'tax_i19')];
    const book = { ...calls, description: 'Book', quantity: '1', unitPrice: '50', amount: '50.00' };
    const invoice = sample({
      lines: [
        calls,
        { ...book, taxRateIds: ['tax_7'] },
        { ...book, amount: '11.90', taxRateIds: ['tax_i19'] },
      ],
      rates,
      coupons: [{ couponId: 'c', discount: { type: 'percentage', percent: '10' } }],
    });
    // 161.90 less 16.19: 90.00 and 45.00 and 10.71, of which 1.71 is tax.
    const [full, reduced] = [
      { code: 'S', percent: '19' },
      { code: 'S', percent: '7' },
    ];
    expect(eInvoiceOf(invoice)).toMatchObject({
      vat: [
        { ...full, taxable: '99.00', amount: '18.81' },
        { ...reduced, taxable: '45.00', amount: '3.15' },
      ],
      allowances: [
        { reason: 'Coupon c', amount: '10.00', category: full },
        { reason: 'Coupon c', amount: '5.00', category: reduced },
        { reason: 'Coupon c', amount: '1.00', category: full },
      ],
      lines: [{ category: full }, { category: reduced }, { category: full, amount: '10.00' }],
      totals: { lines: '160.00', allowances: '16.00', withoutVat: '144.00', vat: '21.96', withVat: '165.96' },
    });
  });

  it('gives the tax back that an exempt customer had paid', () => {
    const invoice = sample({
      lines: [
        { ...calls, taxRateIds: [] },
        { ...unused, taxRateIds: ['tax_19'] },
      ],
      rate: undefined,
      rates: [vatRate('19', false, 'tax_19')],
      change: { taxExemption: 'As agreed', taxExemptionType: 'reverse_charge' },
    });
    expect(eInvoiceOf(invoice)).toMatchObject({
      vat: [
        { code: 'AE', percent: '0', reason: 'As agreed', taxable: '100.00', amount: '0.00' },
        { code: 'S', percent: '19', reason: null, taxable: '-40.00', amount: '-7.60' },
      ],
      totals: { withVat: '52.40' },
    });
  });

  it('names its hosted page as the way to pay if there is no bank account', () => {
    const settings = { ...BILLING_DEFAULTS, seller: { ...sampleSeller, bankAccount: null } };
    expect(eInvoiceOf(sample({ change: { settings } })).payment).toEqual({ code: '68' });
    expect(eInvoiceOf(sample({ currency: 'USD' })).payment).toMatchObject({ code: '30' });
  });

  it('states the reference of the QR-bill of a Swiss account as that of the payment', () => {
    const paymentTo = (iban: string, currency: string) => {
      const seller = { ...sampleSeller, bankAccount: { iban, bic: null } };
      const settings = { ...BILLING_DEFAULTS, seller };
      return eInvoiceOf(sample({ change: { settings }, currency })).payment;
    };
    expect(paymentTo('CH4431999123000889012', 'CHF')).toMatchObject({
      reference: '000000000000000000000000420',
    });
    expect(paymentTo('CH5800791123000889012', 'CHF')).toMatchObject({ reference: 'RF29INV000042' });
    expect(paymentTo('CH5800791123000889012', 'USD')).toMatchObject({ reference: 'INV-000042' });
    // A QR-IBAN takes no other transfers: neither SEPA nor in other currencies.
    expect(paymentTo('CH4431999123000889012', 'EUR')).toMatchObject({ code: '30' });
    expect(paymentTo('CH4431999123000889012', 'USD')).toEqual({ code: '68' });
  });
});

describe('what is missing for an e-invoice', () => {
  const missingIn = (invoice: Invoice) => {
    try {
      eInvoiceOf(invoice);
    } catch (error) {
      if (error instanceof Conflict) return [error.code, ...(error.details ?? []).map(({ field }) => field)];
      throw error;
    }
    return [];
  };

  it('is named, field by field', () => {
    const bare = invoiceOf(sampleEvents.created(), sampleEvents.opened({ sellerName: null }));
    expect(missingIn(bare)).toEqual([
      'e_invoice_incomplete',
      'seller.legalName',
      'seller.address',
      'seller.taxId',
      'customer.address',
      'customer.taxRateIds',
    ]);
    expect(() => eInvoiceOf(bare)).toThrow(/seller\.address \(set it with PUT \/v1\/billing-settings\)/);
  });

  it('is what the kind of tax requires', () => {
    const untaxed = (change: Ingredients['change']) => sample({ rate: undefined, change });
    const taxExemption = 'Reverse charge';
    expect(
      missingIn(untaxed({ taxExemption, taxExemptionType: 'reverse_charge', billToTaxId: undefined })),
    ).toEqual(['e_invoice_incomplete', 'customer.taxId']);
    const unregistered = { ...BILLING_DEFAULTS, seller: { ...sampleSeller, registrationNumber: null } };
    expect(
      missingIn(untaxed({ taxExemption, taxExemptionType: 'not_subject', settings: unregistered })),
    ).toEqual(['e_invoice_incomplete', 'seller.registrationNumber']);
    expect(missingIn(sample({ currency: 'KWD', lines: [{ ...calls, amount: '100.000' }] }))).toEqual([
      'e_invoice_incomplete',
      'customer.currency',
    ]);
    expect(missingIn(sample({ lines: [] }))).toEqual(['e_invoice_incomplete', 'lines']);
  });

  it('is one rate on each line, no more and no less', () => {
    const rates = [vatRate('5', false, 'tax_5'), vatRate('9.975', false, 'tax_qst')];
    const both = { ...calls, taxRateIds: ['tax_5', 'tax_qst'] };
    expect(missingIn(sample({ lines: [calls, both], rates }))).toEqual([
      'e_invoice_incomplete',
      'lines[1].taxRateIds',
    ]);
    expect(missingIn(sample({ lines: [calls, { ...calls, taxRateIds: [] }] }))).toEqual([
      'e_invoice_incomplete',
      'lines[1].taxRateIds',
    ]);
    expect(() => eInvoiceOf(sample({ lines: [both], rate: undefined, rates }))).toThrow(
      /lines\[0\]\.taxRateIds \(a line of an e-invoice can have one tax rate only/,
    );
    const outside = { taxExemption: 'As agreed', taxExemptionType: 'not_subject' } as const;
    const back = { ...unused, taxRateIds: ['tax_5'] };
    expect(missingIn(sample({ lines: [calls, back], rate: undefined, rates, change: outside }))).toEqual([
      'e_invoice_incomplete',
      'customer.taxExemptType',
    ]);
  });

  it('is what was erased', () => {
    // Erased personal data is read as this text.
    const address = ERASED as unknown as PostalAddress;
    expect(missingIn(sample({ change: { billToName: ERASED, billToAddress: address } }))).toEqual([
      'e_invoice_incomplete',
      'customer.address',
    ]);
  });

  it('is everything before an invoice is issued', () => {
    expect(missingIn(invoiceOf(sampleEvents.created()))).toEqual(['not_issued']);
    expect(missingIn({ ...sample(), status: 'void' })).toEqual(['not_issued']);
  });
});

describe('a credit note as e-invoice', () => {
  it('has positive amounts, and names its invoice', () => {
    const invoice = sample({ lines: [calls, calls] });
    const note = eCreditNoteSample(invoice, { lines: [{ id: 'line_1', amount: '30' }] });
    expect(eCreditNoteOf(invoice, note)).toMatchObject({
      typeCode: '381',
      number: 'CN-000001',
      issueDate: '2023-12-20',
      dueDate: null,
      paymentTerms: '€35.70 is taken off what was still to be paid.',
      precedingInvoice: { number: 'INV-000042', issueDate: '2023-12-16' },
      vat: [{ code: 'S', taxable: '30.00', amount: '5.70' }],
      lines: [{ name: 'Calls', quantity: '1', price: '30.00', amount: '30.00' }],
      totals: { withVat: '35.70', prepaid: '0.00', due: '35.70' },
    });
  });

  it('does not exist for a void credit note', () => {
    const invoice = sample({ lines: [calls] });
    const note = eCreditNoteSample(invoice, { amount: '11.90' });
    const voided = { ...note, voidedAt: '2023-12-21T00:00:00.000Z' };
    expect(() => eCreditNoteOf(invoice, voided)).toThrow('The credit note is void');
  });

  it('and its invoice name the plan of each line, if the lines are of several subscriptions', async () => {
    const whole = sample({ lines: [calls, calls] });
    const plans = { sub_1: 'Basic', sub_2: 'Add-on' };
    const { periodStart, periodEnd } = whole;
    const invoice: Invoice = {
      ...whole,
      lines: whole.lines.map((line, i) => ({ ...line, subscriptionId: `sub_${i + 1}` })),
      parts: Object.entries(plans).map(([subscriptionId, planName]) => ({
        subscriptionId,
        planName,
        periodStart,
        periodEnd,
      })),
    };
    expect(eInvoiceOf(invoice).lines).toMatchObject([{ note: 'Basic' }, { note: 'Add-on' }]);
    const note = eCreditNoteOf(
      invoice,
      eCreditNoteSample(invoice, { lines: [{ id: 'line_1', amount: '30' }] }),
    );
    expect(note.lines).toMatchObject([{ name: 'Calls', note: 'Add-on' }]);
    const ubl = readUbl(await writeXml(note, 'ubl', 'en'), 'CreditNote');
    expect(ubl.lines).toMatchObject([{ note: 'Add-on' }]);
    expect(readCii(await writeXml(note, 'cii', 'en'))).toEqual(ubl);
  });

  it('of an amount has one line, and nothing due if the amount was already refunded', () => {
    const invoice = sample();
    const note = eCreditNoteSample(invoice, { amount: '59.50' });
    const refunded = { ...note, unpaid: '0.00', toBalance: '9.50', refunded: '50.00' };
    expect(eCreditNoteOf(invoice, refunded)).toMatchObject({
      lines: [{ name: 'Credit on invoice INV-000042', amount: '50.00' }],
      totals: { withoutVat: '50.00', vat: '9.50', withVat: '59.50', prepaid: '59.50', due: '0.00' },
    });
  });

  it('waits for its number', () => {
    const invoice = sample();
    const note = { ...eCreditNoteSample(invoice, { amount: '1' }), number: null };
    expect(() => eCreditNoteOf(invoice, note)).toThrow(expect.objectContaining({ code: 'not_numbered' }));
  });
});
