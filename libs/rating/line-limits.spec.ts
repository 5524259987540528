import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from './invoice-line.js';
import { shortenGroupName, fitLinesOnInvoice, type ChargeLines } from './line-limits.js';

const month = { start: '2026-04-01T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
const KIB = 1_024;

const line = (name: string, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  id: `line_${name}`,
  type: 'usage',
  description: name,
  priceId: 'price_1',
  priceVersion: 2,
  metricId: 'met_1',
  metricVersion: 3,
  usageWatermark: '41',
  quantity: '2',
  amount: '1.00',
  periodStart: month.start,
  periodEnd: month.end,
  ...more,
});

/** The lines of a charge called `name`: a number of groups, and further lines. */
const charge = (
  name: string,
  groups: number,
  more: Partial<InvoiceLine> = {},
  beside: InvoiceLine[] = [],
): ChargeLines => ({
  price: {
    priceId: 'price_1',
    version: 2,
    name,
    metricId: 'met_1',
    cadence: 'usage_based',
    timing: 'in_arrears',
    config: { model: 'unit', unitPrice: '0.5', currency: 'USD' },
  },
  lines: [...Array.from({ length: groups }, (_, i) => line(`${name} ${i}`, more)), ...beside],
});

const bytesOf = ({ lines }: ChargeLines) => Buffer.byteLength(JSON.stringify(lines));
const descriptions = (charges: ChargeLines[], subscriptionCount?: number) =>
  fitLinesOnInvoice(charges, { invoiceId: 'inv_1', ...(subscriptionCount ? { subscriptionCount } : {}) }).map(
    ({ description }) => description,
  );
const together = (name: string) => `${name} (all groups together)`;

describe('the lines of an invoice', () => {
  it('are at most a thousand', () => {
    expect(descriptions([charge('a', 1_000)])).toHaveLength(1_000);
    expect(descriptions([charge('a', 1_001)])).toEqual([together('a')]);
    expect(descriptions([charge('a', 999), charge('b', 2)])).toEqual([together('a'), 'b 0', 'b 1']);
  });

  it('are at most 512 KiB', () => {
    const minimum = (group: string) => line('minimum', { type: 'minimum', group });
    const filled = (bytes: number) => {
      const empty = charge('a', 2, {}, [minimum('')]);
      return charge('a', 2, {}, [minimum('x'.repeat(bytes - bytesOf(empty)))]);
    };
    expect(descriptions([filled(512 * KIB)])).toEqual(['a 0', 'a 1', 'minimum']);
    expect(descriptions([filled(512 * KIB + 1)])).toEqual([together('a'), 'minimum']);
  });

  it('have a share of these limits for each subscription of a shared invoice', () => {
    expect(descriptions([charge('a', 500)], 2)).toHaveLength(500);
    expect(descriptions([charge('a', 501)], 2)).toEqual([together('a')]);
    const long = charge('a', 300, { group: 'x'.repeat(KIB) });
    expect(descriptions([long])).toHaveLength(300);
    expect(descriptions([long], 2)).toEqual([together('a')]);
  });

  it('are merged first for the largest charge, and only as far as needed', () => {
    const [wide, narrow] = [charge('wide', 700, { group: 'x'.repeat(200) }), charge('narrow', 800)];
    expect(descriptions([wide, narrow])).toEqual([
      together('wide'),
      ...narrow.lines.map((one) => one.description),
    ]);
    expect(descriptions([narrow, wide])).toEqual([
      ...narrow.lines.map((one) => one.description),
      together('wide'),
    ]);
    expect(descriptions([charge('a', 1_001), charge('b', 1_001)])).toEqual([together('a'), together('b')]);
    const [first, ...others] = descriptions([charge('a', 600), charge('b', 600)]);
    expect([first, others.length]).toEqual([together('a'), 600]);
  });

  it('are not merged if a charge has only one line, however long it is', () => {
    const one = charge('one', 1, { group: 'x'.repeat(400 * KIB) });
    const few = charge('few', 200, { group: 'x'.repeat(KIB) });
    expect(descriptions([one, few])).toEqual(['one 0', together('few')]);
    const minimum = line('minimum', { type: 'minimum', group: 'x'.repeat(400 * KIB) });
    expect(descriptions([charge('one', 1, {}, [minimum]), few])).toEqual([
      'one 0',
      'minimum',
      together('few'),
    ]);
    expect(descriptions([charge('one', 1, { group: 'x'.repeat(600 * KIB) })])).toEqual(['one 0']);
  });
});

describe('the one line of all groups', () => {
  const linesOf = (one: ChargeLines) => fitLinesOnInvoice([one], { invoiceId: 'inv_1' });

  it('has their sum, and the minimum keeps a separate line', () => {
    const minimum = line('up to the minimum', { type: 'minimum', amount: '5.00' });
    expect(linesOf(charge('calls', 1_001, {}, [minimum]))).toStrictEqual([
      {
        id: expect.any(String),
        type: 'usage',
        description: together('calls'),
        priceId: 'price_1',
        priceVersion: 2,
        metricId: 'met_1',
        metricVersion: 3,
        usageWatermark: '41',
        quantity: '2002',
        amount: '1001.00',
        periodStart: month.start,
        periodEnd: month.end,
      },
      minimum,
    ]);
  });

  it('has the amount before the maximum, also if a group was reduced to nothing', () => {
    const cut = charge('calls', 1_000, { amountBeforeMaximum: '3.00' });
    const uncut = line('unused', { amount: '0.00' });
    expect(linesOf({ ...cut, lines: [uncut, ...cut.lines] })).toMatchObject([
      { amount: '1000.00', amountBeforeMaximum: '3000.00' },
    ]);
  });

  it('has their tax rates', () => {
    expect(linesOf(charge('calls', 1_001, { taxRateIds: ['tax_1'] }))).toMatchObject([
      { taxRateIds: ['tax_1'] },
    ]);
  });
});

describe('the name of a group', () => {
  it('is printed up to 200 characters', () => {
    expect(shortenGroupName('x'.repeat(200))).toBe('x'.repeat(200));
    expect(shortenGroupName('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
  });
});
