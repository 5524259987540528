import { describe, expect, it } from '@jest/globals';
import { sumOf, type Language, type PostalAddress } from '#libs/kernel/core';
import { ERASED } from '#libs/kernel/event-store';
import type { CustomField } from '#libs/contexts/customers';
import { BILLING_DEFAULTS, type CreditNote, type Invoice } from '#libs/contexts/invoicing';
import type { UsableCoupon, InvoiceLine, BilledAndPresentQuantity } from '#libs/rating';
import {
  eCreditNoteSample,
  eInvoiceSample,
  vatRate,
  type Ingredients,
} from '../../../../test/support/e-invoicing.js';
import {
  invoiceOf,
  sampleAddress,
  sampleEvents,
  sampleSeller,
} from '../../../../test/support/sample-invoice.js';
import { english } from '../languages/en.js';
import { creditNoteView } from './credit-note-view.js';
import { invoiceView } from './invoice-view.js';

const { created, opened, started, succeeded, paid, voided } = sampleEvents;
/** Erased personal data is read as this text. */
const erased = ERASED as unknown as PostalAddress;

describe('an invoice in words', () => {
  it('says that its customer was erased', () => {
    const whom = { billToName: ERASED, billToEmail: ERASED, billToAddress: erased };
    expect(invoiceView(invoiceOf(created(whom), opened()), null)).toMatchObject({
      billToName: ERASED,
      billToDetails: [],
    });
  });

  it('leaves out lines of quantity 0 without an amount, unless the settings say so or no other line is there', () => {
    const line = created().data.lines[0]!;
    const unused = { ...line, id: 'line_unused', description: 'Texts', quantity: '0', amount: '0.00' };
    const minimum = { ...unused, id: 'line_minimum', description: 'Calls', amount: '5.00' };
    const printed = (lines: InvoiceLine[], settings: object = { printZeroLines: false }) =>
      invoiceView(
        invoiceOf(created({ lines, settings: { ...BILLING_DEFAULTS, ...settings } }), opened()),
        null,
      ).lines.map(({ description }) => description);
    const first = printed([line])[0]!;
    expect(printed([line, unused, minimum])).toEqual([first, 'Calls']);
    expect(printed([line, unused], { printZeroLines: true })).toEqual([first, 'Texts']);
    expect(printed([line, unused], { printZeroLines: undefined })).toEqual([first, 'Texts']);
    expect(printed([unused])).toEqual(['Texts']);
  });

  it('has all facts of a paid invoice', () => {
    expect(
      invoiceView(invoiceOf(created(), opened(), started(), succeeded(), paid()), 'Renamed since'),
    ).toEqual({
      language: 'en',
      labels: english.labels,
      title: 'Invoice INV-000042 from Contoso Cloud Services',
      heading: 'Invoice',
      currency: 'USD',
      sellerName: 'Contoso Cloud Services',
      sellerAddress: null,
      sellerDetails: null,
      number: 'INV-000042',
      status: 'paid',
      stamp: 'Paid',
      facts: [
        { label: 'Issued', value: '16 Dec 2023' },
        { label: 'Due', value: '15 Jan 2024' },
        { label: 'Period', value: '16 Nov – 15 Dec 2023' },
      ],
      billToName: 'Northwind Ltd',
      billToEmail: 'ap@northwind.example',
      billToDetails: [],
      headline: { amount: '$133.34', text: 'paid 16 Dec 2023' },
      lines: [
        {
          heading: null,
          description: 'Requests',
          period: '16 Nov – 15 Dec 2023',
          quantity: '8,819',
          unitPrice: '$0.01',
          tax: null,
          quantityAndPrice: '8,819 × $0.01',
          tiers: [],
          amount: '$88.19',
        },
        {
          heading: null,
          description: 'Context tokens',
          period: '16 Nov – 15 Dec 2023',
          quantity: '18,059,974',
          unitPrice: '$2.50 per\u00a01,000,000',
          tax: null,
          quantityAndPrice: '18,059,974 × $2.50 per\u00a01,000,000',
          tiers: [],
          amount: '$45.15',
        },
      ],
      hasTaxColumn: false,
      totals: [
        { label: 'Total USD', amount: '$133.34', strong: false },
        { label: 'Paid', amount: '−$133.34', strong: false },
        { label: 'Amount due', amount: '$0.00', strong: true },
      ],
      creditsUsed: [],
      note: 'Paid on 16 Dec 2023 with Visa ending 4242. Thank you.',
      payTo: null,
      transferCode: null,
      swissBill: null,
      memo: null,
      footer: null,
    });
  });

  it('has the present name of the seller, and no number, while it is a draft', () => {
    expect(invoiceView(invoiceOf(created()), 'Contoso')).toMatchObject({
      title: 'Invoice Draft from Contoso',
      sellerName: 'Contoso',
      number: 'Draft',
      stamp: 'Draft',
      headline: { text: 'not issued yet' },
      totals: [{ label: 'Total USD', strong: true }],
    });
    expect(invoiceView(invoiceOf(created()), null)).toMatchObject({
      title: 'Invoice Draft',
      sellerName: null,
    });
  });

  it('shows each payment outside the gateway, and what is left to pay', () => {
    const first = sampleEvents.recorded({ amount: '60.00', paidAt: '2023-12-14T00:00:00.000Z' });
    const second = sampleEvents.recorded({ amount: '83.34', toBalance: '10.00', paymentId: 'rpay_2' });
    const rowsOf = ({ totals }: ReturnType<typeof invoiceView>) =>
      totals.slice(-3).map(({ label, amount }) => [label, amount]);
    const partly = invoiceView(invoiceOf(created(), opened(), first), null);
    expect(rowsOf(partly)).toEqual([
      ['Total USD', '$133.34'],
      ['Paid on 14 Dec 2023', '−$60.00'],
      ['Amount due', '$73.34'],
    ]);
    expect(partly).toMatchObject({ stamp: null, headline: { amount: '$73.34', text: 'due 15 Jan 2024' } });
    const whole = invoiceView(invoiceOf(created(), opened(), first, second, paid()), null);
    expect(rowsOf(whole)).toEqual([
      ['Paid on 14 Dec 2023', '−$60.00'],
      ['Paid on 16 Dec 2023', '−$73.34'],
      ['Amount due', '$0.00'],
    ]);
    expect(whole).toMatchObject({
      stamp: 'Paid',
      headline: { amount: '$133.34', text: 'paid 16 Dec 2023' },
      note: 'Paid on 16 Dec 2023. Thank you.',
    });
    const reversed = {
      type: 'RecordedPaymentReversed',
      data: { ...second.data, reason: 'Bounced', reopens: true },
    } as const;
    const reopened = invoiceView(invoiceOf(created(), opened(), first, second, paid(), reversed), null);
    expect(rowsOf(reopened)).toEqual(rowsOf(partly));
  });

  it('says that the balance paid later', () => {
    const later = sampleEvents.recorded({ method: 'balance', amount: '133.34' });
    const view = invoiceView(invoiceOf(created(), opened(), later, paid()), null);
    expect(view.totals.slice(-2).map(({ label, amount }) => [label, amount])).toEqual([
      ['Applied from your balance', '−$133.34'],
      ['Amount due', '$0.00'],
    ]);
    expect(view).toMatchObject({
      stamp: 'Settled',
      headline: { amount: '$133.34' },
      note: 'Settled on 16 Dec 2023 without a payment. $133.34 was applied from your balance.',
    });
  });

  it('says that its amount is carried to the next invoice, and which amount it collects of earlier ones', () => {
    const carried = sampleEvents.recorded({ method: 'balance', amount: '133.34', carried: true });
    const view = invoiceView(invoiceOf(created(), opened(), carried, paid()), null);
    expect(view.totals.slice(-2).map(({ label, amount }) => [label, amount])).toEqual([
      ['Carried to your next invoice', '−$133.34'],
      ['Amount due', '$0.00'],
    ]);
    expect(view).toMatchObject({
      note: 'Settled on 16 Dec 2023 without a payment. $133.34 is carried to your next invoice.',
    });
    const next = invoiceView(invoiceOf(created(), opened({ balanceApplied: '-0.30' })), null);
    expect(next.totals.slice(-3).map(({ label, amount }) => [label, amount])).toEqual([
      ['Total USD', '$133.34'],
      ['Carried from earlier invoices', '$0.30'],
      ['Amount due', '$133.64'],
    ]);
    expect(next).toMatchObject({ headline: { amount: '$133.64' } });
  });

  it('says when an open one is due and that a void one is not', () => {
    expect(invoiceView(invoiceOf(created(), opened()), null)).toMatchObject({
      stamp: null,
      headline: { text: 'due 15 Jan 2024' },
      note: 'Payment is due by 15 Jan 2024.',
    });
    expect(invoiceView(invoiceOf(created(), opened(), voided()), null)).toMatchObject({
      stamp: 'Void',
      headline: { text: 'void since 17 Dec 2023' },
      totals: [{ label: 'Total USD' }, { label: 'Amount due', amount: '$0.00' }],
    });
  });

  const totalsOf = (...events: Parameters<typeof invoiceOf>) =>
    invoiceView(invoiceOf(...events), null).totals.map(({ label, amount }) => [label, amount]);

  it('says what is charged without the taxes that the prices contain', () => {
    const tax = { taxRateId: 'tax_1', name: 'VAT', percentage: '20', inclusive: true };
    const discount = { type: 'percentage', percent: '10' } as const;
    const discounts = [{ redemptionId: 'red_1', couponId: 'W', name: 'Welcome', amount: '13.34', discount }];
    const withTax = created({
      discounts,
      taxes: [{ ...tax, taxable: '100.00', amount: '20.00' }],
      total: '120.00',
    });
    expect(totalsOf(withTax)).toEqual([
      ['Subtotal', '$133.34'],
      ['Welcome', '−$13.34'],
      ['Net total', '$100.00'],
      ['Contains VAT 20% on $100.00', '$20.00'],
      ['Total USD', '$120.00'],
    ]);
  });

  it('names the tax rates of each line, and the base of each rate, if there are several rates', () => {
    const [line] = created().data.lines;
    const tax = { name: 'VAT', inclusive: false };
    const several = {
      lines: [
        { ...line!, id: 'line_1', amount: '100.00', taxRateIds: ['tax_19'] },
        { ...line!, id: 'line_2', amount: '53.50', taxRateIds: ['tax_7', 'tax_city'] },
        { ...line!, id: 'line_3', amount: '5.00', taxRateIds: [] },
      ],
      taxes: [
        { ...tax, taxRateId: 'tax_19', percentage: '19', taxable: '100.00', amount: '19.00' },
        { ...tax, taxRateId: 'tax_7', inclusive: true, percentage: '7', taxable: '50.00', amount: '3.50' },
        { ...tax, taxRateId: 'tax_city', name: 'City', percentage: '2.5', taxable: '50.00', amount: '1.25' },
      ],
      total: '178.75',
    };
    const view = invoiceView(invoiceOf(created(several)), null);
    expect(view.hasTaxColumn).toBe(true);
    expect(view.lines.map((one) => one.tax)).toEqual([
      { short: '19%', full: 'VAT 19%' },
      { short: '7% + 2.5%', full: 'VAT 7% + City 2.5%' },
      { short: '–', full: null },
    ]);
    expect(totalsOf(created(several))).toEqual([
      ['Subtotal', '$158.50'],
      ['Net total', '$155.00'],
      ['VAT 19% on $100.00', '$19.00'],
      ['Contains VAT 7% on $50.00', '$3.50'],
      ['City 2.5% on $50.00', '$1.25'],
      ['No tax on $5.00', '$0.00'],
      ['Total USD', '$178.75'],
    ]);
    expect(invoiceView(invoiceOf(created()), null)).toMatchObject({
      hasTaxColumn: false,
      lines: [{ tax: null }, {}],
    });
    const german = { ...several, settings: { ...BILLING_DEFAULTS, language: 'de' } } as typeof several;
    expect(totalsOf(created(german))[2]).toEqual(['VAT 19\u00a0% auf 100,00\u00a0$', '19,00\u00a0$']);
  });

  it.each([
    ['en', 'PO number'],
    ['de', 'Bestellnummer'],
    ['fr', 'N° de bon de commande'],
    ['es', 'N.º de pedido'],
    ['ja', '発注番号'],
  ] as const)('says in %s what the customer wants to read on its documents', (language, label) => {
    const settings = { ...BILLING_DEFAULTS, language };
    const wanted = { poNumber: 'PO-2026-0815', customFields: [{ name: 'Cost center', value: '4711' }] };
    const invoice = invoiceOf(created({ settings, ...wanted }), opened());
    const facts = [
      { label, value: 'PO-2026-0815' },
      { label: 'Cost center', value: '4711' },
    ];
    expect(invoiceView(invoice, null).facts.slice(3)).toEqual(facts);
    expect(creditNoteView(invoice, eCreditNoteSample(invoice, { amount: '5.00' })).facts.slice(3)).toEqual(
      facts,
    );
    const forgotten = { ...invoice, customFields: ERASED as unknown as CustomField[] };
    expect(invoiceView(forgotten, null).facts.slice(3)).toEqual([facts[0]]);
  });

  it('names a group of usage by its values, and omits free units', () => {
    const [line] = created().data.lines;
    const group = { property: 'model', value: 'haiku' };
    const tokens: InvoiceLine = {
      ...line!,
      description: 'Tokens (haiku|in)',
      group: 'haiku|in',
      unitPrice: '0.1',
      amount: '5.00',
      dimensions: [group, { property: 'direction', value: 'in' }],
      quantity: '150',
      tiers: [
        { upTo: '100', quantity: '100', free: true, amount: '0' },
        { upTo: null, quantity: '50', unitPrice: '0.1', amount: '5' },
      ],
    };
    const invoice = invoiceOf(created({ lines: [tokens], total: '5.00' }), opened());
    expect(invoiceView(invoice, null).lines).toMatchObject([
      {
        description: 'Tokens · haiku · in',
        quantity: '50',
        unitPrice: '$0.10',
        amount: '$5.00',
        quantityAndPrice: '50 × $0.10',
        tiers: [{ text: 'Free: 100' }, { text: 'Above: 50 × $0.10', amount: '$5.00' }],
      },
    ]);
  });

  it('names the groups that late usage has changed', () => {
    const [line] = created().data.lines;
    const late: InvoiceLine = {
      ...line!,
      type: 'late_usage',
      description: 'Tokens (late usage)',
      amount: '5.00',
      late: {
        invoiceId: 'inv_0',
        usageWatermark: '7',
        billed: '1.00',
        counted: '6.00',
        quantities: [
          {
            group: 'haiku|in',
            billed: '10',
            counted: '60',
            dimensions: [
              { property: 'model', value: 'haiku' },
              { property: 'direction', value: 'in' },
            ],
          },
        ],
      },
    };
    expect(invoiceView(invoiceOf(created({ lines: [late] })), null).lines[0]!.tiers[0]).toEqual({
      text: 'haiku · in: 60 by now, 10 billed before',
      amount: null,
    });
  });

  describe('adds up with its taxes', () => {
    const line = (amount: string, taxRateIds?: string[]) => ({
      ...({ type: 'usage', description: 'Calls', quantity: '1', amount } as const),
      ...(taxRateIds ? { taxRateIds } : {}),
    });
    const coupon: UsableCoupon = { couponId: 'WELCOME', discount: { type: 'percentage', percent: '15' } };
    const rates = [vatRate('19', false, 'tax_19'), vatRate('7', true, 'tax_7')];
    const samples: Record<string, Ingredients> = {
      'of one rate': { currency: 'EUR', lines: [line('33.33'), line('0.05')], rate: vatRate('19') },
      'of one rate that prices contain': {
        currency: 'EUR',
        lines: [line('33.33'), line('0.05')],
        coupons: [coupon],
        rate: vatRate('20', true),
      },
      'of several rates, and lines without any': {
        currency: 'EUR',
        coupons: [coupon],
        rates,
        lines: [
          line('10.01', ['tax_19']),
          line('3.33', ['tax_7']),
          line('0.07', []),
          line('7.77', ['tax_19']),
        ],
      },
      'in a currency without decimals': { currency: 'JPY', lines: [line('333')], rate: vatRate('10', true) },
    };

    it.each(Object.keys(samples))('%s', (name) => {
      const invoice = eInvoiceSample(samples[name]!);
      const taxes = invoice.taxes!;
      const { totals } = invoiceView(invoice, null);
      const at = totals.findIndex(({ label }) => label === 'Net total');
      const printed = (amount: string) => amount.replace('−', '-').replace(/[^\d.-]/g, '');
      const net = printed(totals[at]!.amount);
      const rows = totals.slice(
        at + 1,
        totals.findIndex(({ label }) => label.startsWith('Total')),
      );
      expect(sumOf([net, ...rows.map(({ amount }) => printed(amount))]).eq(invoice.total)).toBe(true);
      const bases = rows.map(({ label }) => printed(label.split(' on ')[1]!));
      expect(sumOf(bases).eq(net)).toBe(true);
      expect(rows.slice(0, taxes.length).map(({ amount }) => printed(amount))).toEqual(
        taxes.map(({ amount }) => amount),
      );
    });

    it('of a credit note too', () => {
      const invoice = eInvoiceSample(samples['of several rates, and lines without any']!);
      const note = eCreditNoteSample(invoice, { amount: '9.99' });
      const { totals } = creditNoteView(invoice, note);
      const printed = ({ amount }: { amount: string }) => amount.replace('−', '-').replace(/[^\d.-]/g, '');
      const at = totals.findIndex(({ label }) => label === 'Net total');
      expect(totals.slice(at).map(({ label }) => label.split(' on ')[0])).toEqual([
        'Net total',
        'VAT 19%',
        'Contains VAT 7%',
        'No tax',
        'Credited EUR',
      ]);
      expect(sumOf(totals.slice(at, -1).map(printed)).eq(note.total)).toBe(true);
      const bases = totals.slice(at + 1, -1).map(({ label }) => printed({ amount: label.split(' on ')[1]! }));
      expect(sumOf(bases).eq(printed(totals[at]!))).toBe(true);
    });
  });

  it('has each amount once if nothing lies between subtotal, total and amount due', () => {
    expect(totalsOf(created())).toEqual([['Total USD', '$133.34']]);
    expect(totalsOf(created(), opened())).toEqual([['Amount due USD', '$133.34']]);
    expect(totalsOf(created(), opened(), started(), succeeded(), paid())).toEqual([
      ['Total USD', '$133.34'],
      ['Paid', '−$133.34'],
      ['Amount due', '$0.00'],
    ]);
  });

  it.each([
    ['en', 'Amount due USD'],
    ['de', 'Zu zahlen USD'],
    ['fr', 'Reste à payer USD'],
    ['es', 'Importe pendiente USD'],
    ['ja', 'ご請求残高（USD）'],
  ] as const)('names the currency of its only amount: %s', (language, label) => {
    const settings = { ...BILLING_DEFAULTS, language };
    expect(invoiceView(invoiceOf(created({ settings }), opened()), null).totals).toMatchObject([
      { label, strong: true },
    ]);
  });

  it('has one row for the subtotal and the net total if they are equal', () => {
    const taxes = [
      {
        taxRateId: 'tax_1',
        name: 'VAT',
        percentage: '20',
        inclusive: false,
        taxable: '133.34',
        amount: '26.67',
      },
    ];
    expect(totalsOf(created({ taxes, total: '160.01' }))).toEqual([
      ['Net total', '$133.34'],
      ['VAT 20% on $133.34', '$26.67'],
      ['Total USD', '$160.01'],
    ]);
  });

  it('adds up when it gives back', () => {
    const [line] = created().data.lines;
    const givenBack = { lines: [{ ...line!, amount: '-10.57' }], total: '0.00', excess: '10.57' };
    expect(totalsOf(created(givenBack))).toEqual([
      ['Subtotal', '−$10.57'],
      ['Credited to you', '$10.57'],
      ['Total USD', '$0.00'],
    ]);
  });

  it('names customer and seller, and the bank account while something is due', () => {
    const inGerman = created({
      billToAddress: sampleAddress,
      billToTaxId: 'FR40303265045',
      settings: { ...BILLING_DEFAULTS, language: 'de', seller: sampleSeller },
    });
    const parties = {
      title: 'Rechnung INV-000042 von Contoso GmbH',
      sellerName: 'Contoso GmbH',
      sellerAddress: 'Hauptstr. 1 · 10115 Berlin · Deutschland',
      sellerDetails:
        'USt-IdNr. DE123456789 · Registernummer HRB 1234 B · billing@contoso.example · Telefon +49 30 1234567',
      billToDetails: ['1 rue de la Paix', '75002 Paris', 'Frankreich', 'USt-IdNr. FR40303265045'],
    };
    expect(invoiceView(invoiceOf(inGerman, opened()), null)).toMatchObject({
      ...parties,
      payTo: 'DE89 3704 0044 0532 0130 00, BIC\u00a0COBADEFFXXX',
    });
    const isPaid = invoiceOf(inGerman, opened(), started(), succeeded(), paid());
    expect(invoiceView(isPaid, null)).toMatchObject({ ...parties, payTo: null });
  });

  it('shows earlier invoiced usage, and explains the amount of the line if not everything is given back', () => {
    const shown = (amount: string) => {
      const line: InvoiceLine = {
        id: 'line_1',
        type: 'progressive_credit',
        description: 'Calls (already invoiced)',
        priceId: 'price_1',
        priceVersion: 1,
        quantity: '1',
        amount,
        periodStart: '2023-11-16T00:00:00.000Z',
        periodEnd: '2023-12-16T00:00:00.000Z',
        invoiced: { invoiceIds: ['inv_0'], billed: '20.00', counted: '12.00', atMost: '5.00' },
      };
      return invoiceView(invoiceOf(created({ lines: [line] })), null).lines[0]!;
    };
    expect(shown('-20.00')).toMatchObject({
      description: 'Calls (already invoiced)',
      quantityAndPrice: null,
      tiers: [],
    });
    expect(shown('-14.00').tiers).toEqual([
      { text: 'By now', amount: '$12.00' },
      { text: 'Billed before', amount: '$20.00' },
      { text: 'Difference, less what was taken off or credited then', amount: '−$2.00' },
    ]);
  });

  it('has the lines of several subscriptions under their plans, with the sum of each plan', () => {
    const [requests, tokens] = created().data.lines;
    const period = { periodStart: requests!.periodStart, periodEnd: requests!.periodEnd };
    const lines = [
      { ...tokens!, subscriptionId: 'sub_2' },
      { ...requests!, subscriptionId: 'sub_1' },
      { ...requests!, id: 'line_3', subscriptionId: 'sub_1' },
    ];
    const parts = [
      { subscriptionId: 'sub_1', planName: '<Pro>', ...period },
      { subscriptionId: 'sub_2', planName: 'Tokens', ...period },
      { subscriptionId: 'sub_3', planName: 'Storage, of which nothing was used', ...period },
    ];
    const invoice = invoiceOf(created({ subscriptionId: null, lines, parts }), opened());
    expect(
      invoiceView(invoice, null).lines.map(({ heading, description }) => [heading, description]),
    ).toEqual([
      [{ text: '<Pro>', amount: '$176.38' }, 'Requests'],
      [null, 'Requests'],
      [{ text: 'Tokens', amount: '$45.15' }, 'Context tokens'],
    ]);
    const note: CreditNote = {
      creditNoteId: 'cn_1',
      issuedAt: invoice.createdAt,
      reason: 'other',
      memo: null,
      number: 'CN-000001',
      lines: [{ id: 'line_2', amount: '5.00' }],
      discount: '0.00',
      taxes: [],
      total: '5.00',
      unpaid: '5.00',
      toBalance: '0.00',
      refunded: '0.00',
      refundStatus: 'none',
    };
    expect(creditNoteView(invoice, note).lines).toMatchObject([
      { heading: { text: 'Tokens', amount: '$5.00' }, description: 'Context tokens', amount: '$5.00' },
    ]);
    expect(creditNoteView({ ...invoice, taxExemption: 'Reverse charge' }, note).note).toBe(
      '$5.00 is taken off what was still to be paid. No tax: Reverse charge.',
    );
  });

  it.each([
    ['en', 'Void', 'void since 20 Dec 2023', 'This credit note was voided on 20 Dec 2023.'],
    [
      'de',
      'Storniert',
      'storniert am 20. Dez. 2023',
      'Diese Rechnungskorrektur wurde am 20. Dez. 2023 storniert.',
    ],
    ['fr', 'Annulé', 'annulé le 20 déc. 2023', 'Cet avoir a été annulé le 20 déc. 2023.'],
    ['es', 'Anulada', 'anulada el 20 dic 2023', 'Esta factura rectificativa se anuló el 20 dic 2023.'],
    ['ja', '無効', '2023年12月20日に無効', 'このクレジットノートは2023年12月20日に無効になりました。'],
  ] as const)(
    'says in %s that a credit note is void, and takes it off the invoice no more',
    (language, stamp, text, note) => {
      const settings = { ...BILLING_DEFAULTS, language };
      const invoice = invoiceOf(created({ settings }), opened());
      const voided: CreditNote = {
        ...eCreditNoteSample(invoice, { amount: '5.00' }),
        voidedAt: '2023-12-20T00:00:00.000Z',
        voidReason: 'A mistake',
      };
      const view = creditNoteView(invoice, voided);
      expect(view).toMatchObject({ status: 'void', stamp, headline: { text } });
      expect(view.note).toContain(note);
      expect(view.note).not.toContain('5.00');
      expect(invoiceView({ ...invoice, creditNotes: [voided] }, null)).toEqual(invoiceView(invoice, null));
    },
  );

  it.each([
    ['en', 'Credit note CN-000001, to your balance $5.00', 'Credit note CN-000001, refunded $3.00'],
    [
      'de',
      'Rechnungskorrektur CN-000001, Ihrem Guthaben hinzugefügt 5,00 $',
      'Rechnungskorrektur CN-000001, erstattet 3,00 $',
    ],
    ['fr', 'Avoir CN-000001, crédité à votre solde 5,00 $US', 'Avoir CN-000001, remboursé 3,00 $US'],
    [
      'es',
      'Factura rectificativa CN-000001, abonada a su saldo 5,00 US$',
      'Factura rectificativa CN-000001, devuelta 3,00 US$',
    ],
    ['ja', 'クレジットノート CN-000001（残高へ追加） $5.00', 'クレジットノート CN-000001（返金） $3.00'],
  ] as const)(
    'sums up in %s to what is due, and says after it what credit notes gave back of a payment',
    (language, toBalance, refunded) => {
      const settings = { ...BILLING_DEFAULTS, language };
      const invoice = invoiceOf(created({ settings }), opened(), started(), succeeded(), paid());
      const note: CreditNote = {
        ...eCreditNoteSample(invoice, { amount: '8.00' }),
        number: 'CN-000001',
        unpaid: '0.00',
        toBalance: '5.00',
        refunded: '3.00',
      };
      const before = invoiceView(invoice, null).totals;
      const { totals } = invoiceView({ ...invoice, creditNotes: [note] }, null);
      expect(totals.slice(0, before.length)).toEqual(before);
      expect(before.at(-2)?.amount).toMatch(/^−/);
      expect(before.at(-1)?.strong).toBe(true);
      const after = totals.slice(before.length);
      expect(after.map(({ label, amount }) => `${label} ${amount}`.replaceAll(/\s/g, ' '))).toEqual([
        toBalance,
        refunded,
      ]);
    },
  );

  describe('attests no payment that was not made', () => {
    const paidAt = '2023-12-16T00:00:00.000Z';
    const noteOf = (number: string, unpaid: string): CreditNote => ({
      creditNoteId: number,
      issuedAt: paidAt,
      reason: 'other',
      memo: null,
      number,
      lines: [],
      discount: '0.00',
      taxes: [],
      total: unpaid,
      unpaid,
      toBalance: '0.00',
      refunded: '0.00',
      refundStatus: 'none',
    });
    const settled = (change: Partial<Invoice>, language: Language = 'en'): Invoice => ({
      ...invoiceOf(created({ settings: { ...BILLING_DEFAULTS, language } }), opened()),
      status: 'paid',
      paidAt,
      ...change,
    });
    const totalsOf = (invoice: Invoice) =>
      invoiceView(invoice, null).totals.map(({ label, amount }) => `${label} ${amount}`);

    it('if credit notes covered all of it', () => {
      const credited = settled({
        creditNotes: [noteOf('CN-000001', '100.00'), noteOf('CN-000002', '33.34')],
      });
      expect(invoiceView(credited, null)).toMatchObject({
        stamp: 'Settled',
        headline: { amount: '$133.34', text: 'settled 16 Dec 2023' },
        note: 'Settled on 16 Dec 2023 without a payment. $133.34 was credited by CN-000001, CN-000002.',
      });
      expect(totalsOf(credited).slice(-4)).toEqual([
        'Total USD $133.34',
        'Credit note CN-000001 −$100.00',
        'Credit note CN-000002 −$33.34',
        'Amount due $0.00',
      ]);
    });

    it('in sentences without a space between them, in Japanese', () => {
      const credited = settled({ creditNotes: [noteOf('CN-000001', '133.34')] }, 'ja');
      expect(invoiceView(credited, null).note).toBe(
        '2023年12月16日にお支払いなしで精算されました。CN-000001により$133.34を減額しました。',
      );
    });

    it("if the customer's balance covered all of it", () => {
      const covered = settled({ balanceApplied: '133.34' });
      expect(invoiceView(covered, null)).toMatchObject({
        stamp: 'Settled',
        headline: { amount: '$133.34', text: 'settled 16 Dec 2023' },
        note: 'Settled on 16 Dec 2023 without a payment. $133.34 was applied from your balance.',
      });
      expect(totalsOf(covered).slice(-3)).toEqual([
        'Total USD $133.34',
        'Applied from your balance −$133.34',
        'Amount due $0.00',
      ]);
    });

    it('if it gave back more than it charged', () => {
      const noteWith = (more: object) =>
        invoiceView(settled({ lines: [], total: '0.00', excess: '10.57', ...more }), null).note;
      expect(noteWith({})).toMatch(
        /^There was nothing to pay\. \$10\.57 is set off .* added to your balance/,
      );
      expect(noteWith({ excessTo: 'refund' })).toMatch(/\$10\.57 .* refunded to the card that paid/);
    });

    it('if there was nothing to pay', () => {
      expect(invoiceView(settled({ lines: [], total: '0.00' }), null)).toMatchObject({
        stamp: 'Settled',
        headline: { amount: '$0.00', text: 'settled 16 Dec 2023' },
        note: 'There was nothing to pay.',
      });
    });

    it('beyond the amount that a card paid after the balance and a credit note', () => {
      const { attempts } = invoiceOf(created(), opened(), started(), succeeded(), paid());
      const inPart = settled({
        balanceApplied: '20.00',
        creditNotes: [noteOf('CN-000001', '13.34')],
        attempts: attempts.map((attempt) => ({ ...attempt, amount: '100.00' })),
      });
      expect(invoiceView(inPart, null)).toMatchObject({
        stamp: 'Paid',
        headline: { amount: '$100.00', text: 'paid 16 Dec 2023' },
        note:
          'Paid on 16 Dec 2023 with Visa ending 4242. Thank you. ' +
          '$20.00 was applied from your balance. $13.34 was credited by CN-000001.',
      });
      expect(totalsOf(inPart).slice(-5)).toEqual([
        'Total USD $133.34',
        'Applied from your balance −$20.00',
        'Credit note CN-000001 −$13.34',
        'Paid −$100.00',
        'Amount due $0.00',
      ]);
    });

    it.each([
      ['en', 'Settled', 'settled 16 Dec 2023'],
      ['de', 'Ausgeglichen', 'ausgeglichen am 16. Dez. 2023'],
      ['fr', 'Soldée', 'soldée le 16 déc. 2023'],
      ['es', 'Saldada', 'saldada el 16 dic 2023'],
      ['ja', '精算済', '精算日：2023年12月16日'],
    ] as const)('in %s', (language, stamp, text) => {
      const view = invoiceView(settled({ creditNotes: [noteOf('CN-000001', '133.34')] }, language), null);
      expect(view).toMatchObject({ stamp, headline: { text } });
      expect(view.note).toContain('CN-000001');
      expect(view.note).not.toContain(invoiceView(settled({}, language), null).note);
    });
  });

  describe('shows of a minimum commitment', () => {
    const [start, end] = ['2023-10-16T00:00:00.000Z', '2023-11-16T00:00:00.000Z'];
    const part = { planId: 'plan_1', planVersion: 1, planName: 'Pro', minimum: '100', start, end };
    const shown = (commitment: NonNullable<InvoiceLine['commitment']>) => {
      const line: InvoiceLine = {
        id: 'line_1',
        type: 'minimum',
        description: 'Pro (up to the minimum commitment)',
        priceId: null,
        priceVersion: null,
        quantity: '1',
        amount: '50.00',
        periodStart: start,
        periodEnd: end,
        commitment,
      };
      return invoiceView(invoiceOf(created({ lines: [line] })), null).lines[0]?.tiers;
    };

    it('its amount and the charged part', () => {
      expect(shown({ parts: [part], due: '100.00', counted: '50.00' })).toEqual([
        { text: 'Minimum commitment', amount: '$100.00' },
        { text: 'Charged for this time', amount: '$50.00' },
      ]);
    });

    it('its parts, and the changes by late usage', () => {
      const cut = '2023-10-20T00:00:00.000Z';
      const parts = [
        { ...part, end: cut },
        { ...part, minimum: '200', start: cut },
      ];
      const late = { counted: '70.00', countedBefore: '50.00', invoiceId: 'inv_0' };
      expect(shown({ parts, due: '187.10', ...late })).toEqual([
        { text: '$100.00 a period, for 16 – 19 Oct 2023', amount: null },
        { text: '$200.00 a period, for 20 Oct – 15 Nov 2023', amount: null },
        { text: 'Minimum commitment', amount: '$187.10' },
        { text: 'Charged for this time by now', amount: '$70.00' },
        { text: 'Charged when it was billed', amount: '$50.00' },
      ]);
    });
  });

  describe('shows of late usage', () => {
    const lineOf = (quantities: BilledAndPresentQuantity[], amount = '3.50'): InvoiceLine => ({
      id: 'line_1',
      type: 'late_usage',
      description: 'Calls (late usage)',
      priceId: 'price_1',
      priceVersion: 1,
      quantity: '1050',
      amount,
      periodStart: '2023-10-16T00:00:00.000Z',
      periodEnd: '2023-11-16T00:00:00.000Z',
      late: { invoiceId: 'inv_0', usageWatermark: '41', billed: '8.00', counted: '11.50', quantities },
    });
    const shown = (line: InvoiceLine) => invoiceView(invoiceOf(created({ lines: [line] })), null).lines[0];
    const whole = { billed: '80', counted: '1130' };

    it('the present and the billed amount of its period', () => {
      expect(shown(lineOf([whole]))).toEqual({
        heading: null,
        description: 'Calls (late usage)',
        period: '16 Oct – 15 Nov 2023',
        quantity: '1,050',
        unitPrice: null,
        tax: null,
        quantityAndPrice: 'Quantity 1,050',
        tiers: [
          { text: '1,130 by now', amount: '$11.50' },
          { text: '80 billed before', amount: '$8.00' },
        ],
        amount: '$3.50',
      });
    });

    it('each group that has changed', () => {
      expect(shown(lineOf([{ group: 'eu', ...whole }]))?.tiers).toEqual([
        { text: 'eu: 1,130 by now, 80 billed before', amount: null },
        { text: 'By now', amount: '$11.50' },
        { text: 'Billed before', amount: '$8.00' },
      ]);
    });

    it('why the amount of the line is not the difference of the two', () => {
      expect(shown(lineOf([whole], '1.75'))?.tiers.at(-1)).toEqual({
        text: 'Difference, less what was taken off or credited then',
        amount: '$1.75',
      });
    });
  });

  /** November of 2023 in Tokyo. */
  const november = { periodStart: '2023-10-31T15:00:00.000Z', periodEnd: '2023-11-30T15:00:00.000Z' };

  it('has its dates in the time zone of the customer', () => {
    const inTokyo = created({
      timezone: 'Asia/Tokyo',
      lines: created().data.lines.map((line) => ({ ...line, ...november })),
    });
    const { facts } = invoiceView(invoiceOf(inTokyo, opened({ at: '2023-11-30T15:00:00.000Z' })), null);
    expect(facts).toEqual([
      { label: 'Issued', value: '1 Dec 2023' },
      { label: 'Due', value: '15 Jan 2024' },
      { label: 'Period', value: '1 – 30 Nov 2023' },
    ]);
  });

  it('has its dates in the time zone of the workspace, if it has chosen one, and its period in that of the customer', () => {
    const inTokyo = created({
      timezone: 'Asia/Tokyo',
      settings: { ...BILLING_DEFAULTS, timezone: 'America/New_York' },
      lines: created().data.lines.map((line) => ({ ...line, ...november })),
    });
    const { facts } = invoiceView(invoiceOf(inTokyo, opened({ at: '2023-12-01T02:00:00.000Z' })), null);
    expect(facts).toEqual([
      { label: 'Issued', value: '30 Nov 2023' },
      { label: 'Due', value: '14 Jan 2024' },
      { label: 'Period', value: '1 – 30 Nov 2023' },
    ]);
  });

  describe('states as its period', () => {
    const [fee] = created().data.lines;
    const december = { periodStart: '2023-12-01T00:00:00.000Z', periodEnd: '2024-01-01T00:00:00.000Z' };
    const inAdvance: InvoiceLine = {
      ...fee!,
      ...december,
      id: 'line_fee',
      type: 'flat',
      description: 'Seat',
    };
    const statedFor = (lines: InvoiceLine[], settings: object = {}) => {
      const invoice = invoiceOf(
        created({
          lines,
          settings: { ...BILLING_DEFAULTS, ...settings },
          periodStart: '2023-11-01T00:00:00.000Z',
          periodEnd: '2023-12-01T00:00:00.000Z',
        }),
        opened(),
      );
      return invoiceView(invoice, null).facts.find(({ label }) => label === 'Period')?.value;
    };

    it('the time of a fee in advance, which is after the billing period', () => {
      expect(statedFor([inAdvance])).toBe('1 – 31 Dec 2023');
    });

    it('the time from the first to the last of its lines', () => {
      expect(statedFor([fee!, inAdvance])).toBe('16 Nov – 31 Dec 2023');
    });

    it('nothing of lines that it does not print', () => {
      const unused = { ...fee!, quantity: '0', amount: '0.00' };
      expect(statedFor([unused, inAdvance], { printZeroLines: false })).toBe('1 – 31 Dec 2023');
    });

    it('nothing of credits that are billed at one instant', () => {
      const at = '2023-11-05T00:00:00.000Z';
      const overage: InvoiceLine = { ...fee!, type: 'overage', periodStart: at, periodEnd: at };
      expect(statedFor([overage, inAdvance])).toBe('1 – 31 Dec 2023');
    });
  });

  it('shows the amount of each tier, and the period of a partial fee', () => {
    const [line] = invoiceOf(created()).lines;
    const tiered = { ...line!, unitPrice: undefined, amount: '115.00', quantity: '1100' };
    const tiers = [
      { upTo: '1000', quantity: '1000', unitPrice: '0.1', amount: '100' },
      { upTo: null, quantity: '100', unitPrice: '0.05', flatAmount: '10', amount: '15' },
    ];
    const proratedFrom = { start: '2023-11-01T00:00:00.000Z', end: '2023-12-01T00:00:00.000Z' };
    const { lines } = invoiceView(invoiceOf(created({ lines: [{ ...tiered, tiers, proratedFrom }] })), null);
    expect(lines).toEqual([
      {
        heading: null,
        description: 'Requests',
        period: '16 Nov – 15 Dec 2023, part of 1 – 30 Nov 2023',
        quantity: '1,100',
        unitPrice: null,
        tax: null,
        quantityAndPrice: 'Quantity 1,100',
        tiers: [
          { text: 'Up to 1,000: 1,000 × $0.10', amount: '$100.00' },
          { text: 'Above: 100 × $0.05 + $10.00', amount: '$15.00' },
        ],
        amount: '$115.00',
      },
    ]);
  });

  it('shows no calculation for a fee that is charged once', () => {
    const [line] = invoiceOf(created()).lines;
    const fee = { ...line!, unitPrice: undefined, amount: '49.00', quantity: '1' };
    const { lines } = invoiceView(invoiceOf(created({ lines: [fee] })), null);
    expect(lines).toMatchObject([{ quantity: '1', unitPrice: null, quantityAndPrice: null }]);
  });

  it('is in its own language, except for names that people chose', () => {
    const [line] = invoiceOf(created()).lines;
    const unused = { ...line!, type: 'credit', description: 'Requests (unused part of the period)' } as const;
    const german = created({
      lines: [line!, { ...unused, proratedFrom: { start: line!.periodStart, end: line!.periodEnd } }],
      settings: { ...BILLING_DEFAULTS, language: 'de' },
      taxExemption: 'Reverse charge',
    });
    expect(invoiceView(invoiceOf(german, opened(), started(), succeeded(), paid()), null)).toMatchObject({
      title: 'Rechnung INV-000042 von Contoso Cloud Services',
      stamp: 'Bezahlt',
      facts: [
        { label: 'Ausgestellt am', value: '16. Dez. 2023' },
        { label: 'Fällig am', value: '15. Jan. 2024' },
        { label: 'Leistungszeitraum', value: '16. Nov. – 15. Dez. 2023' },
      ],
      headline: { amount: '133,34\u00a0$', text: 'bezahlt am 16. Dez. 2023' },
      lines: [
        { description: 'Requests', quantityAndPrice: '8.819 × 0,01\u00a0$' },
        {
          description: 'Requests (nicht genutzter Teil des Zeitraums)',
          period: '16. Nov. – 15. Dez. 2023, Teil von 16. Nov. – 15. Dez. 2023',
        },
      ],
      note:
        'Bezahlt am 16. Dez. 2023 mit Visa (Endziffern 4242). Vielen Dank. ' + 'Ohne Steuer: Reverse charge.',
    });
  });
});
