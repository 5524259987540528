import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CADENCES, MONTHS_PER_PERIOD, CHARGE_TIMINGS } from './cadence.js';
import {
  billingIntervalOf,
  isFeeInAdvance,
  oneTimeCharges,
  chargesOwed,
  periodFrom,
  type Charge,
  type PriceSnapshot,
  type SubscriptionTerms,
} from './charges.js';
import { periodBoundary, periodMillis } from './periods.js';

const price = (priceId: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config: { model: 'flat', amount: '10', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_arrears',
  metricId: null,
  ...more,
});

const start = '2026-01-31T00:00:00.000Z';

const terms = (...prices: PriceSnapshot[]) => ({
  anchor: start,
  timezone: 'UTC',
  billingInterval: billingIntervalOf(prices),
  items: prices.map((of) => ({ price: of, quantity: '1', since: start })),
});

const printed = (charges: Charge[]) =>
  charges.map(
    ({ price: { priceId }, service }) =>
      `${priceId} ${service.start.slice(0, 10)} ${service.end.slice(0, 10)}`,
  );

describe('billingInterval', () => {
  it.each([
    [['annual', 'monthly', 'quarterly'], 'monthly'],
    [['annual', 'quarterly', 'one_time'], 'quarterly'],
    [['annual', 'usage_based'], 'annual'],
    [['usage_based', 'one_time'], 'monthly'],
    [[], 'monthly'],
  ] as const)('of %j is %s', (cadences, interval) => {
    expect(billingIntervalOf(cadences.map((cadence) => ({ cadence })))).toBe(interval);
  });
});

/** The charges of all items at an instant, at which they continue or end. */
const due = (terms: SubscriptionTerms, at: string, course?: 'ends'): Charge[] =>
  terms.items.flatMap((item) => chargesOwed(terms, item, at, course));

const [day28, march31, april30] = ['2026-02-28', '2026-03-31', '2026-04-30'].map(
  (day) => `${day}T00:00:00.000Z`,
) as [string, string, string];

describe('the charges of an item that continues', () => {
  it('are the starting period in advance, and the ending period in arrears', () => {
    const both = terms(price('ahead', { timing: 'in_advance' }), price('behind'));
    expect(printed(due(both, start))).toEqual(['ahead 2026-01-31 2026-02-28']);
    const items = both.items.map((item) =>
      item.price.priceId === 'ahead' ? { ...item, since: day28 } : item,
    );
    expect(printed(due({ ...both, items }, day28))).toEqual([
      'ahead 2026-02-28 2026-03-31',
      'behind 2026-01-31 2026-02-28',
    ]);
  });

  it('are due for longer cadences only at their own boundaries', () => {
    const mixed = terms(
      price('month'),
      price('quarter ahead', { cadence: 'quarterly', timing: 'in_advance' }),
      price('quarter behind', { cadence: 'quarterly' }),
      price('year', { cadence: 'annual' }),
    );
    const items = mixed.items.map((item, i) => ({ ...item, since: [march31, april30, start, start][i]! }));
    expect(printed(due({ ...mixed, items }, march31))).toEqual([]);
    expect(printed(due({ ...mixed, items }, april30))).toEqual([
      'month 2026-03-31 2026-04-30',
      'quarter ahead 2026-04-30 2026-07-31',
      'quarter behind 2026-01-31 2026-04-30',
    ]);
    expect(printed(due({ ...mixed, items }, '2027-01-31T00:00:00.000Z'))).toContain(
      'year 2026-01-31 2027-01-31',
    );
  });

  it('use the billing interval for a usage-based price', () => {
    const usage = price('usage', { cadence: 'usage_based', metricId: 'met_1' });
    const yearly = terms(price('year', { cadence: 'annual' }), usage);
    expect(printed(due(yearly, '2027-01-31T00:00:00.000Z'))).toEqual([
      'year 2026-01-31 2027-01-31',
      'usage 2026-01-31 2027-01-31',
    ]);
    expect(printed(due(terms(usage), day28))).toEqual(['usage 2026-01-31 2026-02-28']);
  });

  it('are never in advance for usage', () => {
    const usage = price('usage', { timing: 'in_advance', metricId: 'met_1' });
    expect(isFeeInAdvance(usage)).toBe(false);
    expect(printed(due(terms(usage), start))).toEqual([]);
    expect(printed(due(terms(usage), day28))).toEqual(['usage 2026-01-31 2026-02-28']);
  });

  it('begin where the item was last charged, and are divided at its own periods', () => {
    const behind = terms(price('behind'), price('quarter', { cadence: 'quarterly' }));
    const since = '2026-02-10T00:00:00.000Z';
    const late = { ...behind, items: behind.items.map((item) => ({ ...item, since })) };
    expect(printed(due(late, day28))).toEqual(['behind 2026-02-10 2026-02-28']);
    expect(printed(due(late, april30))).toEqual([
      'behind 2026-02-10 2026-02-28',
      'behind 2026-02-28 2026-03-31',
      'behind 2026-03-31 2026-04-30',
      'quarter 2026-02-10 2026-04-30',
    ]);
    const ahead = terms(price('ahead', { timing: 'in_advance' }));
    const paid = { ...ahead, items: ahead.items.map((item) => ({ ...item, since: march31 })) };
    expect(printed(due(paid, since))).toEqual([]);
  });

  it('are the rest of the period in advance, if the beginning is not a boundary', () => {
    const ahead = terms(
      price('month', { timing: 'in_advance' }),
      price('year', { cadence: 'annual', timing: 'in_advance' }),
    );
    const begin = '2026-01-20T00:00:00.000Z';
    const items = ahead.items.map((item) => ({ ...item, since: begin }));
    expect(periodFrom(ahead, 'monthly', begin)).toEqual({ index: -1, start: begin, end: start });
    expect(due({ ...ahead, items }, begin).map(({ service, period: own }) => [service, own])).toEqual([
      [
        { start: begin, end: start },
        { start: '2025-12-31T00:00:00.000Z', end: start },
      ],
      [
        { start: begin, end: start },
        { start: '2025-01-31T00:00:00.000Z', end: start },
      ],
    ]);
  });

  it('have the quantity of a fee unless it is one, and no quantity of metered usage', () => {
    const seats = terms(
      price('seats', { timing: 'in_advance' }),
      price('usage', { cadence: 'usage_based', metricId: 'met_1' }),
    );
    const five = { ...seats, items: seats.items.map((item) => ({ ...item, quantity: '5' })) };
    expect(due(five, day28).map(({ quantity }) => quantity)).toEqual(['5', '5', undefined]);
    expect(due(seats, start)[0]).not.toHaveProperty('quantity');
  });
});

describe('oneTimeCharges', () => {
  it.each(CHARGE_TIMINGS)('charges a one-time price at an instant, with timing %s', (timing) => {
    const setup = terms(price('setup', { cadence: 'one_time', timing }), price('month', { timing }));
    expect(printed(oneTimeCharges(setup.items, start))).toEqual(['setup 2026-01-31 2026-01-31']);
    expect(printed(due(terms(price('setup', { cadence: 'one_time', timing })), day28))).toEqual([]);
  });
});

describe('the charges of an item that ends', () => {
  it('are in arrears up to the end, and in advance nothing that was already charged', () => {
    const both = terms(
      price('ahead', { timing: 'in_advance' }),
      price('behind'),
      price('usage', { cadence: 'usage_based', metricId: 'met_1' }),
      price('setup', { cadence: 'one_time' }),
    );
    const sinces: Record<string, string> = { ahead: march31 };
    const items = both.items.map((item) => ({ ...item, since: sinces[item.price.priceId] ?? day28 }));
    const [fee, usage, ...others] = due({ ...both, items }, '2026-03-10T12:00:00.000Z', 'ends');
    expect(others).toEqual([]);
    expect(fee).toMatchObject({
      price: { priceId: 'behind' },
      service: { start: day28, end: '2026-03-10T12:00:00.000Z' },
      period: { start: day28, end: march31 },
    });
    expect(usage).toMatchObject({
      price: { priceId: 'usage' },
      service: { start: day28, end: '2026-03-10T12:00:00.000Z' },
    });
  });

  it('are at a boundary the periods that end there, and the elapsed parts of longer ones', () => {
    const mixed = terms(price('month'), price('quarter', { cadence: 'quarterly' }));
    expect(printed(due(mixed, day28, 'ends'))).toEqual([
      'month 2026-01-31 2026-02-28',
      'quarter 2026-01-31 2026-02-28',
    ]);
  });

  it('are empty for a subscription that ends at its start', () => {
    expect(due(terms(price('month')), start, 'ends')).toEqual([]);
  });

  it('are a charge without length for usage that was invoiced at the very instant of the beginning', () => {
    const usage = terms(price('usage', { cadence: 'usage_based', metricId: 'met_1' }));
    const items = usage.items.map((item) => ({ ...item, invoicedBy: ['inv_1'] }));
    expect(due({ ...usage, items }, start, 'ends')).toMatchObject([
      { service: { start, end: start }, period: { start, end: day28 }, invoicedBy: ['inv_1'] },
    ]);
    expect(due({ ...usage, items }, start)).toEqual([]);
  });
});

describe('any prices', () => {
  const prices = fc.uniqueArray(
    fc.record({ cadence: fc.constantFrom(...CADENCES), timing: fc.constantFrom(...CHARGE_TIMINGS) }),
    { minLength: 1, maxLength: 6, selector: ({ cadence, timing }) => `${cadence} ${timing}` },
  );
  const anchors = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());

  it('are charged for every instant from the start to the end exactly once', () => {
    fc.assert(
      fc.property(prices, anchors, fc.integer({ min: 1, max: 40 * 86_400 }), (given, anchor, more) => {
        const all = given.map((one, i) => price(`price_${i}`, one));
        const subscription = { ...terms(...all), anchor, timezone: 'Europe/Berlin' };
        const endsAt = new Date(
          Date.parse(periodBoundary(subscription, 'monthly', 11)) + more * 1000,
        ).toISOString();
        // Each item is charged from the end of its previous charge, as in a subscription's state.
        const charges: Charge[] = [];
        let items = all.map((of) => ({ price: of, quantity: '1', since: anchor }));
        const take = (at: string, course?: 'ends') => {
          const taken = due({ ...subscription, items }, at, course);
          charges.push(...taken);
          items = items.map((item) => {
            const last = taken.findLast(({ price: { priceId } }) => priceId === item.price.priceId);
            return last ? { ...item, since: last.service.end } : item;
          });
        };
        for (let k = 0; ; k++) {
          const at = periodBoundary(subscription, subscription.billingInterval, k);
          if (at >= endsAt) break;
          take(at);
        }
        take(endsAt, 'ends');
        for (const { priceId, cadence, timing } of all) {
          if (cadence === 'one_time') continue;
          const services = charges
            .filter((charge) => charge.price.priceId === priceId)
            .map(({ service }) => service);
          expect(services[0]!.start).toBe(anchor);
          const last = services.at(-1)!.end;
          const isAhead = timing === 'in_advance' && cadence !== 'usage_based';
          if (isAhead) expect(last >= endsAt).toBe(true);
          else expect(last).toBe(endsAt);
          services.slice(1).forEach((service, i) => expect(service.start).toBe(services[i]!.end));
        }
      }),
    );
  });

  it('in advance are charged for a whole period at its start, and never after the end', () => {
    fc.assert(
      fc.property(prices, anchors, fc.integer({ min: 0, max: 24 }), (given, anchor, k) => {
        const all = given.map((one, i) => price(`price_${i}`, one));
        const items = all.map((of) => ({ price: of, quantity: '1', since: anchor }));
        const subscription = { ...terms(...all), anchor, timezone: 'America/New_York', items };
        const now = periodBoundary(subscription, billingIntervalOf(all), k);
        for (const charge of due(subscription, now)) {
          const isAhead = charge.price.timing === 'in_advance' && charge.price.cadence !== 'usage_based';
          expect(isAhead ? charge.service.start <= now : charge.service.end <= now).toBe(true);
          expect(charge.service).toEqual(charge.period);
          const months =
            charge.price.cadence in MONTHS_PER_PERIOD
              ? MONTHS_PER_PERIOD[charge.price.cadence as 'monthly']
              : 1;
          expect(periodMillis(charge.service)).toBeGreaterThanOrEqual(months * 27.9 * 86_400_000);
        }
      }),
    );
  });
});
