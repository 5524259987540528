import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { describeLine, type InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { eCreditNoteSample } from '../../../../test/support/e-invoicing.js';
import { makeHostedInvoicePage } from '../hosted-invoice.js';
import { creditNoteView } from './credit-note-view.js';
import { invoiceView } from './invoice-view.js';
import { receiptView } from './receipt-view.js';

const { created, opened, started, succeeded, paid } = sampleEvents;
const at = '2023-12-16T00:00:00.000Z';
const period = { periodStart: '2023-11-16T00:00:00.000Z', periodEnd: at };
const instant = { periodStart: at, periodEnd: at };
const line = { priceId: null, priceVersion: null };
const bought = (quantity = '12500'): InvoiceLine => ({
  ...line,
  ...instant,
  id: 'line_1',
  type: 'credit_purchase',
  description: describeLine('AI credits', 'purchase'),
  quantity,
  unitPrice: '0.01',
  amount: '125.00',
});
const overage = (change: Partial<InvoiceLine> = {}): InvoiceLine => ({
  ...line,
  ...period,
  id: 'line_9',
  type: 'overage',
  metricId: 'met_1',
  creditType: 'ai-credits',
  description: describeLine('Tokens, AI credits', 'overage'),
  quantity: '15',
  unitPrice: '0.02',
  amount: '0.30',
  ...change,
});
const fee = (subscriptionId: string, amount: string): InvoiceLine => ({
  ...line,
  ...period,
  id: `line_${subscriptionId}`,
  type: 'flat',
  subscriptionId,
  description: `Fee of ${subscriptionId}`,
  quantity: '1',
  amount,
});
const purchase = (language: Language = 'en', quantity?: string) =>
  invoiceView(
    invoiceOf(
      created({
        ...instant,
        kind: 'credit_purchase',
        subscriptionId: null,
        lines: [bought(quantity)],
        settings: { ...BILLING_DEFAULTS, language },
      }),
      opened(),
    ),
    null,
  );

describe('an invoice of a purchase of credits', () => {
  it('counts credits, and has no period, since they are used at some later time', () => {
    const { facts, lines } = purchase();
    expect(facts.map(({ label }) => label)).toEqual(['Issued', 'Due']);
    expect(lines).toMatchObject([
      {
        description: 'AI credits (prepaid credits)',
        period: '',
        quantity: '12,500 credits',
        unitPrice: '$0.01',
        quantityAndPrice: '12,500 credits × $0.01',
        amount: '$125.00',
      },
    ]);
    expect(purchase('en', '1').lines[0]).toMatchObject({ quantity: '1 credit' });
  });

  it('says so in each language', () => {
    const shown = LANGUAGES.map((language) => {
      const [shownLine] = purchase(language).lines;
      return [language, shownLine!.description, shownLine!.quantity.replaceAll('\u00a0', ' ')];
    });
    expect(shown.toSorted()).toEqual([
      ['de', 'AI credits (vorausbezahltes Guthaben)', '12.500 Credits'],
      ['en', 'AI credits (prepaid credits)', '12,500 credits'],
      ['es', 'AI credits (créditos prepagados)', '12.500 créditos'],
      ['fr', 'AI credits (crédits prépayés)', '12 500 crédits'],
      ['ja', 'AI credits（前払いクレジット）', '12,500クレジット'],
    ]);
  });
});

describe('overage of prepaid credits', () => {
  it('is counted in credits, and has its period if it has one', () => {
    const shown = (change: Partial<InvoiceLine>) =>
      invoiceView(invoiceOf(created({ lines: [overage(change)] }), opened()), null).lines[0];
    expect(shown({})).toMatchObject({ quantity: '15 credits', period: '16 Nov – 15 Dec 2023' });
    expect(shown(instant)).toMatchObject({ quantity: '15 credits', period: '' });
  });

  it('has a heading of its own, if subscriptions share the invoice', () => {
    const parts = ['sub_1', 'sub_2'].map((subscriptionId) => ({
      subscriptionId,
      planName: `Plan of ${subscriptionId}`,
      ...period,
    }));
    const lines = [fee('sub_1', '20.00'), overage({ subscriptionId: 'sub_1' }), fee('sub_2', '25.00')];
    const view = invoiceView(invoiceOf(created({ parts, lines }), opened()), null);
    expect(view.lines.map(({ heading, description }) => [heading, description])).toEqual([
      [{ text: 'Plan of sub_1', amount: '$20.00' }, 'Fee of sub_1'],
      [{ text: 'Plan of sub_2', amount: '$25.00' }, 'Fee of sub_2'],
      [{ text: 'Prepaid credits', amount: '$0.30' }, 'Tokens, AI credits (beyond the prepaid credits)'],
    ]);
  });
});

describe('usage that prepaid credits paid for', () => {
  const used = (metricName: string, credits: string) => ({
    creditType: 'ai-credits',
    creditTypeName: 'AI credits',
    metricId: 'met_1',
    metricName,
    credits,
  });
  const creditsUsed = [used('Tokens', '12500.5'), used('Images', '1')];
  const invoice = (language: Language = 'en', more: object = { creditsUsed }) =>
    invoiceOf(created({ settings: { ...BILLING_DEFAULTS, language }, ...more }), opened());

  it('is shown in credits for each metric, beside the lines and the totals', () => {
    const { lines, totals, creditsUsed: shown } = invoiceView(invoice(), null);
    expect(shown).toEqual([
      { description: 'Tokens, AI credits', credits: '12,500.5 credits' },
      { description: 'Images, AI credits', credits: '1 credit' },
    ]);
    const without = invoiceView(invoice('en', {}), null);
    expect([lines, totals]).toEqual([without.lines, without.totals]);
    expect(without.creditsUsed).toEqual([]);
  });

  it('has a heading in each language', () => {
    const shown = LANGUAGES.map((language) => {
      const { labels, creditsUsed: ofLanguage } = invoiceView(invoice(language), null);
      return [language, labels.creditsUsed, ofLanguage[0]!.credits.replaceAll('\u00a0', ' ')];
    });
    expect(shown.toSorted()).toEqual([
      ['de', 'Mit vorausbezahltem Guthaben bezahlt', '12.500,5 Credits'],
      ['en', 'Paid with prepaid credits', '12,500.5 credits'],
      ['es', 'Pagado con créditos prepagados', '12.500,5 créditos'],
      ['fr', 'Payé avec des crédits prépayés', '12 500,5 crédits'],
      ['ja', '前払いクレジットでお支払い済みのご利用', '12,500.5クレジット'],
    ]);
  });

  it('is on the hosted page, which has no such section without it', () => {
    const page = (more?: object) =>
      makeHostedInvoicePage(invoice('en', more), 'TOKEN', null, {
        cardOnFile: null,
        canTakePayments: false,
        canAddCard: false,
        isSandbox: false,
      }).html;
    expect(page()).toContain('<h2>Paid with prepaid credits</h2>');
    expect(page()).toContain('<dt dir="auto">Tokens, AI credits</dt><dd>12,500.5 credits</dd>');
    expect(page({})).not.toContain('Paid with prepaid credits');
  });

  it('is not on receipts and credit notes, since neither is about it', () => {
    const settled = invoiceOf(created({ creditsUsed }), opened(), started(), succeeded(), paid());
    expect(receiptView(settled).creditsUsed).toEqual([]);
    const note = { ...eCreditNoteSample(settled, { amount: '5.00' }), number: 'CN-000001' };
    expect(creditNoteView(settled, note).creditsUsed).toEqual([]);
  });
});
