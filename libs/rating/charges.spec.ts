import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CADENCES, MONTHS, TIMINGS } from './cadence.js';
import {
  billingInterval,
  chargesDue,
  closingCharges,
  oneTimeCharges,
  openingCharges,
  periodFrom,
  type Charge,
  type PriceSnapshot,
} from './charges.js';
import { boundary, lengthOf } from './periods.js';

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
  billingInterval: billingInterval(prices),
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
    expect(billingInterval(cadences.map((cadence) => ({ cadence })))).toBe(interval);
  });
});

describe('chargesDue', () => {
  it('charges in advance the period that starts, and in arrears the one that ends', () => {
    const both = terms(price('ahead', { timing: 'in_advance' }), price('behind'));
    expect(printed(chargesDue(both, 1))).toEqual([
      'ahead 2026-02-28 2026-03-31',
      'behind 2026-01-31 2026-02-28',
    ]);
  });

  it('charges longer cadences only where their own periods start or end', () => {
    const mixed = terms(
      price('month'),
      price('quarter ahead', { cadence: 'quarterly', timing: 'in_advance' }),
      price('quarter behind', { cadence: 'quarterly' }),
      price('year', { cadence: 'annual' }),
    );
    expect(printed(chargesDue(mixed, 2))).toEqual(['month 2026-02-28 2026-03-31']);
    expect(printed(chargesDue(mixed, 3))).toEqual([
      'month 2026-03-31 2026-04-30',
      'quarter ahead 2026-04-30 2026-07-31',
      'quarter behind 2026-01-31 2026-04-30',
    ]);
    expect(printed(chargesDue(mixed, 12))).toContain('year 2026-01-31 2027-01-31');
  });

  it('lets a usage-based price follow the billing interval', () => {
    const usage = price('usage', { cadence: 'usage_based', metricId: 'met_1' });
    expect(printed(chargesDue(terms(price('year', { cadence: 'annual' }), usage), 1))).toEqual([
      'year 2026-01-31 2027-01-31',
      'usage 2026-01-31 2027-01-31',
    ]);
    expect(printed(chargesDue(terms(usage), 1))).toEqual(['usage 2026-01-31 2026-02-28']);
  });

  it('charges in arrears from when an item is charged', () => {
    const behind = terms(price('behind'), price('quarter', { cadence: 'quarterly' }));
    const since = '2026-02-10T00:00:00.000Z';
    const late = { ...behind, items: behind.items.map((item) => ({ ...item, since })) };
    expect(printed(chargesDue(late, 1))).toEqual(['behind 2026-02-10 2026-02-28']);
    expect(printed(chargesDue(late, 3))).toEqual([
      'behind 2026-03-31 2026-04-30',
      'quarter 2026-02-10 2026-04-30',
    ]);
  });

  it('says how many units of a fee there are, unless it is one, and none of what is metered', () => {
    const seats = terms(
      price('seats', { timing: 'in_advance' }),
      price('usage', { cadence: 'usage_based', metricId: 'met_1' }),
    );
    const five = { ...seats, items: seats.items.map((item) => ({ ...item, quantity: '5' })) };
    expect(chargesDue(five, 1).map(({ quantity }) => quantity)).toEqual(['5', undefined]);
    expect(openingCharges(five, periodFrom(five, 'monthly', start))[0]!.quantity).toBe('5');
    expect(chargesDue(seats, 1)[0]).not.toHaveProperty('quantity');
  });
});

describe('openingCharges', () => {
  const ahead = terms(
    price('month', { timing: 'in_advance' }),
    price('year', { cadence: 'annual', timing: 'in_advance' }),
    price('behind'),
    price('setup', { cadence: 'one_time' }),
  );

  it('charges the periods that begin at the anchor, in advance', () => {
    expect(printed(openingCharges(ahead, periodFrom(ahead, 'monthly', start)))).toEqual([
      'month 2026-01-31 2026-02-28',
      'year 2026-01-31 2027-01-31',
    ]);
  });

  it('charges the rest of each own period where the beginning is not a boundary', () => {
    const begin = '2026-01-20T00:00:00.000Z';
    const period = periodFrom(ahead, 'monthly', begin);
    expect(period).toEqual({ index: -1, start: begin, end: start });
    expect(openingCharges(ahead, period).map(({ service, period: own }) => [service, own])).toEqual([
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
});

describe('oneTimeCharges', () => {
  it.each(TIMINGS)('charges a one-time price at an instant, with timing %s', (timing) => {
    const setup = terms(price('setup', { cadence: 'one_time', timing }), price('month', { timing }));
    expect(printed(oneTimeCharges(setup.items, start))).toEqual(['setup 2026-01-31 2026-01-31']);
    expect(printed(chargesDue(terms(price('setup', { cadence: 'one_time', timing })), 1))).toEqual([]);
  });
});

describe('closingCharges', () => {
  it('cuts what is in arrears, and leaves what was paid in advance', () => {
    const both = terms(
      price('ahead', { timing: 'in_advance' }),
      price('behind'),
      price('usage', { cadence: 'usage_based', metricId: 'met_1' }),
      price('setup', { cadence: 'one_time' }),
    );
    const [fee, usage, ...others] = closingCharges(both, 1, '2026-03-10T12:00:00.000Z');
    expect(others).toEqual([]);
    expect(fee).toMatchObject({
      price: { priceId: 'behind' },
      service: { start: '2026-02-28T00:00:00.000Z', end: '2026-03-10T12:00:00.000Z' },
      period: { start: '2026-02-28T00:00:00.000Z', end: '2026-03-31T00:00:00.000Z' },
    });
    expect(usage).toMatchObject({
      price: { priceId: 'usage' },
      service: { start: '2026-02-28T00:00:00.000Z', end: '2026-03-10T12:00:00.000Z' },
    });
  });

  it('charges at a boundary the periods that end there, and the longer ones so far', () => {
    const mixed = terms(price('month'), price('quarter', { cadence: 'quarterly' }));
    expect(printed(closingCharges(mixed, 0, '2026-02-28T00:00:00.000Z'))).toEqual([
      'month 2026-01-31 2026-02-28',
      'quarter 2026-01-31 2026-02-28',
    ]);
  });

  it('charges nothing to a subscription that ends as it starts', () => {
    expect(closingCharges(terms(price('month')), 0, start)).toEqual([]);
  });
});

describe('any prices', () => {
  const prices = fc.uniqueArray(
    fc.record({ cadence: fc.constantFrom(...CADENCES), timing: fc.constantFrom(...TIMINGS) }),
    { minLength: 1, maxLength: 6, selector: ({ cadence, timing }) => `${cadence} ${timing}` },
  );
  const anchors = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());

  it('in arrears, are charged for every instant from the start to the end exactly once', () => {
    fc.assert(
      fc.property(prices, anchors, fc.integer({ min: 1, max: 40 * 86_400 }), (given, anchor, more) => {
        const all = given.map((one, i) => price(`price_${i}`, one));
        const subscription = { ...terms(...all), anchor, timezone: 'Europe/Berlin' };
        const endsAt = new Date(
          Date.parse(boundary(subscription, 'monthly', 11)) + more * 1000,
        ).toISOString();
        // Each item is charged from where the charge before ended, as a subscription's state has it.
        const charges: Charge[] = [];
        let items = all.map((of) => ({ price: of, quantity: '1', since: anchor }));
        const take = (due: Charge[]) => {
          charges.push(...due);
          items = items.map((item) => {
            const charge = due.find(({ price: { priceId } }) => priceId === item.price.priceId);
            return charge ? { ...item, since: charge.service.end } : item;
          });
        };
        let k = 0;
        for (; boundary(subscription, subscription.billingInterval, k + 1) < endsAt; k++)
          take(chargesDue({ ...subscription, items }, k + 1));
        take(closingCharges({ ...subscription, items }, k, endsAt));
        for (const { priceId, cadence, timing } of all) {
          if (cadence === 'one_time' || timing === 'in_advance') continue;
          const services = charges
            .filter((charge) => charge.price.priceId === priceId)
            .map(({ service }) => service);
          expect(services[0]!.start).toBe(anchor);
          expect(services.at(-1)!.end).toBe(endsAt);
          services.slice(1).forEach((service, i) => expect(service.start).toBe(services[i]!.end));
        }
      }),
    );
  });

  it('in advance, are charged a whole period that has just begun, and never one after the end', () => {
    fc.assert(
      fc.property(prices, anchors, fc.integer({ min: 0, max: 24 }), (given, anchor, k) => {
        const all = given.map((one, i) => price(`price_${i}`, one));
        const items = all.map((of) => ({ price: of, quantity: '1', since: anchor }));
        const subscription = { ...terms(...all), anchor, timezone: 'America/New_York', items };
        const now = boundary(subscription, billingInterval(all), k);
        for (const charge of chargesDue(subscription, k)) {
          expect(charge.price.timing === 'in_advance' ? charge.service.start : charge.service.end).toBe(now);
          expect(charge.service).toEqual(charge.period);
          const months = charge.price.cadence in MONTHS ? MONTHS[charge.price.cadence as 'monthly'] : 1;
          expect(lengthOf(charge.service)).toBeGreaterThanOrEqual(months * 27.9 * 86_400_000);
        }
      }),
    );
  });
});
