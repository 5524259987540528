import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, moneyString, roundToCurrency } from '#libs/core';
import { TAX_EXEMPTIONS } from '#libs/customers';
import {
  eCreditNoteSample,
  eInvoiceSample,
  vatRate,
  type Ingredients,
} from '../../../test/support/e-invoicing.js';
import { readCii, readUbl, violations } from '../../../test/support/en16931/index.js';
import { eCreditNoteOf, eInvoiceOf } from './e-invoice-of.js';
import { E_INVOICE_FORMATS, writeXml } from './e-invoice-writer.js';

const RUNS = 40;

const amounts = fc.oneof(fc.integer({ min: -50_000, max: 500_000 }), fc.integer({ min: -20, max: 20 }));

/** Lines of all kinds: per unit, in tiers, given back, over nothing. */
const linesIn = (currency: string) => {
  const unit = currency === 'JPY' ? 1 : 0.01;
  const money = (units: number) => moneyString(new Decimal(units).times(unit), currency);
  const description = fc.constantFrom('Calls', 'Seats <b> & "co"', 'Région €', '\u0001group\ufffe', '利用料');
  return fc
    .array(
      fc.oneof(
        fc.record({
          description,
          amount: amounts.map(money),
          quantity: fc.constantFrom('0', '1', '12.5', '1100'),
        }),
        fc
          .record({
            description,
            units: fc.integer({ min: 0, max: 1_000_000 }),
            price: fc.integer({ min: 0, max: 9_999 }),
          })
          .map(({ description: of, units, price }) => {
            const unitPrice = new Decimal(price).times('0.0001').toFixed();
            const amount = roundToCurrency(new Decimal(units).times(unitPrice), currency);
            return {
              description: of,
              quantity: String(units),
              unitPrice,
              amount: moneyString(amount, currency),
            };
          }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((lines) => lines.map((line) => ({ type: 'usage' as const, ...line })));
};

const coupons = fc.array(
  fc.oneof(
    fc
      .integer({ min: 1, max: 100 })
      .map((percent) => ({ type: 'percentage' as const, percent: String(percent) })),
    fc.integer({ min: 1, max: 500 }).map((amount) => ({ type: 'fixed' as const, amount: String(amount) })),
  ),
  { maxLength: 2 },
);

const invoices = fc.constantFrom('EUR', 'USD', 'JPY').chain((currency) =>
  fc
    .record({
      lines: linesIn(currency),
      coupons,
      percentage: fc.constantFrom('0', '5.5', '7', '19', '20', '21', '25'),
      inclusive: fc.boolean(),
      exemption: fc.option(fc.constantFrom(...TAX_EXEMPTIONS), { nil: undefined }),
      balance: fc.integer({ min: 0, max: 200 }).map(String),
    })
    .map(({ lines, coupons: discounts, percentage, inclusive, exemption, balance }): Ingredients => ({
      ...{ currency, lines, balance },
      coupons: discounts.map((discount, i) => ({
        couponId: String(i),
        discount: discount.type === 'fixed' ? { ...discount, currency } : discount,
      })),
      ...(exemption === undefined
        ? { rate: vatRate(percentage, inclusive) }
        : { change: { taxExemption: 'As agreed', taxExemptionType: exemption } }),
    })),
);

describe('e-invoices', () => {
  it('keep the rules of EN 16931 to the cent, whatever the invoice, and say the same in both syntaxes', async () => {
    await fc.assert(
      fc.asyncProperty(invoices, async (ingredients) => {
        const eInvoice = eInvoiceOf(eInvoiceSample(ingredients));
        const ubl = readUbl(await writeXml(eInvoice, 'ubl', 'en'));
        expect(violations(ubl)).toEqual([]);
        expect(readCii(await writeXml(eInvoice, 'cii', 'en'))).toEqual(ubl);
      }),
      { numRuns: RUNS },
    );
  });

  it('of credit notes keep them too; their tax is what the books have, a cent off at most', async () => {
    await fc.assert(
      fc.asyncProperty(invoices, fc.integer({ min: 1, max: 100 }), async (ingredients, percent) => {
        const invoice = eInvoiceSample(ingredients);
        const share = roundToCurrency(
          new Decimal(invoice.total).times(percent).dividedBy(100),
          invoice.currency,
        );
        fc.pre(share.gt(0));
        const note = eCreditNoteSample(invoice, { amount: share.toFixed() });
        const eInvoice = eCreditNoteOf(invoice, note);
        const ubl = readUbl(await writeXml(eInvoice, 'ubl', 'en'), 'CreditNote');
        expect(ubl.totals.due).toBe(note.total);
        expect(violations(ubl, { slack: invoice.currency === 'JPY' ? '1' : '0.01' })).toEqual([]);
        expect(readCii(await writeXml(eInvoice, 'cii', 'en'))).toEqual(ubl);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['&lt;b&gt; &amp;amp; &#60;', '&amp;lt;b&amp;gt; &amp;amp;amp; &amp;#60;'],
    ['R&D; Sons & Co', 'R&amp;D; Sons &amp; Co'],
    ['&#1;&#x1;', '&amp;#1;&amp;#x1;'],
    ['\ufffe', '\ufffd'],
    ['<!-- ]]> {"@a"}', '&lt;!-- ]]&gt; {"@a"}'],
  ])('have a name as it is, whatever it looks like in XML: %s', async (name, written) => {
    const lines = [{ type: 'manual' as const, description: name, quantity: '1', amount: '1.00' }];
    const ingredients = { currency: 'EUR', lines, rate: vatRate('19'), change: { billToName: name } };
    const eInvoice = eInvoiceOf(eInvoiceSample(ingredients));
    for (const format of E_INVOICE_FORMATS)
      expect((await writeXml(eInvoice, format, 'en')).split(`Name>${written}</`)).toHaveLength(3);
  });

  it('are found out by the rules when they are changed', async () => {
    const ingredients = {
      ...{ currency: 'EUR', rate: vatRate('19'), balance: '5' },
      lines: [
        { type: 'manual' as const, description: 'Work', quantity: '2', unitPrice: '50', amount: '100.00' },
      ],
    };
    const terms = readUbl(await writeXml(eInvoiceOf(eInvoiceSample(ingredients)), 'ubl', 'en'));
    const { totals } = terms;
    const broken = (change: Partial<typeof terms>) => violations({ ...terms, ...change });
    expect(broken({ totals: { ...totals, lines: '100.01' } })).toEqual(['BR-CO-10', 'BR-CO-13']);
    expect(broken({ totals: { ...totals, withVat: '119.01' } })).toEqual(['BR-CO-15', 'BR-CO-16']);
    expect(broken({ totals: { ...totals, due: '113.99' } })).toEqual(['BR-CO-16']);
    expect(broken({ breakdown: [{ ...terms.breakdown[0]!, amount: '19.01' }] })).toEqual([
      'BR-CO-14',
      'BR-CO-17',
    ]);
    expect(broken({ breakdown: [{ ...terms.breakdown[0]!, taxable: '99.99' }] })).toEqual(['BR-S-08']);
    expect(broken({ seller: { ...terms.seller, vatId: null } })).toEqual(['BR-S-02']);
    expect(broken({ lines: [{ ...terms.lines[0]!, price: '49.99' }] })).toEqual(['PEPPOL-EN16931-R120']);
  });
});
