import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import {
  linesOfWholeInvoice,
  subscriptionPartOf,
  subscriptionPartsOf,
  subscriptionIdsOf,
} from './invoice-parts.js';

const [start, end] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const line = (id: string, subscriptionId: string): InvoiceLine => ({
  id,
  subscriptionId,
  type: 'flat',
  description: id,
  priceId: 'price_1',
  priceVersion: 1,
  quantity: '1',
  amount: '10.00',
  periodStart: end,
  periodEnd: '2026-03-01T00:00:00.000Z',
});
const readings = [{ metricId: 'met_1', metricVersion: 2, start, end, watermark: '7' }];
const period = { periodStart: start, periodEnd: end };
const shared = invoiceOf(
  sampleEvents.created({
    subscriptionId: null,
    billedAt: end,
    lines: [line('one', 'sub_1'), line('other', 'sub_2')],
    parts: [
      { subscriptionId: 'sub_1', planName: 'Pro', ...period, readings },
      { subscriptionId: 'sub_2', planName: 'Storage', ...period, periodStart: '2025-11-01T00:00:00.000Z' },
    ],
  }),
);

describe('an invoice of several subscriptions', () => {
  it('has a part for each subscription that looks like a separate invoice', () => {
    expect(subscriptionIdsOf(shared)).toEqual(['sub_1', 'sub_2']);
    const { parts: _, ...whole } = shared;
    expect(subscriptionPartOf(shared, 'sub_1')).toEqual({
      ...whole,
      ...period,
      subscriptionId: 'sub_1',
      readings,
      lines: [line('one', 'sub_1')],
      wholeLines: shared.lines,
    });
    expect(linesOfWholeInvoice(subscriptionPartOf(shared, 'sub_1')!)).toEqual(shared.lines);
    expect(linesOfWholeInvoice(shared)).toEqual(shared.lines);
    expect(subscriptionPartsOf(shared).map(({ lines, periodStart }) => [lines[0]!.id, periodStart])).toEqual([
      ['one', start],
      ['other', '2025-11-01T00:00:00.000Z'],
    ]);
    expect(subscriptionPartOf(shared, 'sub_3')).toBeUndefined();
  });
});

describe('rounds each tax once over the whole invoice', () => {
  it('is its own part', () => {
    const own = invoiceOf(sampleEvents.created());
    expect(subscriptionIdsOf(own)).toEqual(['sub_1']);
    expect(subscriptionPartsOf(own)).toEqual([own]);
    expect(subscriptionPartOf(own, 'sub_1')).toBe(own);
    expect(subscriptionPartOf(own, 'sub_2')).toBeUndefined();
    const manual = invoiceOf(sampleEvents.created({ subscriptionId: null, kind: 'manual' }));
    expect(subscriptionIdsOf(manual)).toEqual([]);
    expect(subscriptionPartsOf(manual)).toEqual([manual]);
  });
});
