import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Decimal,
  InvalidRequest,
  instantFromMillis,
  instantToMillis,
  sumOf,
  type Instant,
} from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import {
  PRORATION_BY_TIME,
  computeInvoice,
  amountOfNewUsage,
  type Charge,
  type ComputedInvoice,
  type MeasuredCharge,
  type PriceConfig,
  type PriceSnapshot,
} from '#libs/rating';
import {
  nextDueChange,
  progressiveBill,
  subscriptionDecider,
  type Bill,
  type Subscription,
  type SubscriptionCommand,
} from '#libs/contexts/subscriptions';
import { B0, B1, create, pass, price, subscriptionId } from '../../../../test/support/sample-subscription.js';
import { creditableLines, type Invoice } from '#libs/contexts/invoicing';
import { earlierUsageCharges } from '../earlier-invoices/earlier-usage-charges.js';
import type { SourceInvoice } from '../earlier-invoices/source-lines.js';

/* All invoices of a period together must equal the single invoice of the whole period, whatever was billed before its end. */

describe('invoices of one period', () => {
  it('sum to a single invoice, for any model, split, change of the subscription and coupon', () => {
    fc.assert(
      fc.property(courses, ({ configs: [first, next], acts, ...course }) => {
        const prices = [metered(1, first)];
        const taken = acts.map(({ at, act }) => ({
          at,
          act: act === 'amend' ? metered(2, next) : act === 'back' ? prices[0]! : act,
        }));
        const whole = { ...course, acts: taken, prices };
        const run = new Run(whole).through();
        expect(run.total()).toBe(new Run({ ...whole, threshold: undefined }).through().total());
        expect(run.left()).toBe(run.total());
      }),
      { numRuns: 300 },
    );
  });

  it('deduct earlier invoices, at each threshold and at the end', () => {
    // 10 × 1.005 + 3 = 13.05; 40 more × 0.333 = 13.32; 50 more × 0.333 = 16.65; 10 more × 0.07 = 0.70.
    const run = new Run({
      prices: [tiered],
      used: [bulk(day(1), '10'), bulk(day(3), '40'), bulk(day(5), '50'), bulk(day(20), '10')],
      looks: [day(2), day(4), day(6), day(7)],
      threshold: '13.05',
      couponPercent: undefined,
    }).through();
    expect(run.invoices.map(({ kind, total }) => [kind, total])).toEqual([
      ['progressive', '13.05'],
      ['progressive', '13.32'],
      ['progressive', '16.65'],
      ['cycle', '0.70'],
    ]);
    const [first, second, third, cycle] = run.invoices;
    expect(first!.lines.map(({ type }) => type)).toEqual(['usage']);
    expect(cycle!.lines).toMatchObject([
      { type: 'usage', quantity: '110', amount: '43.72' },
      {
        type: 'progressive_credit',
        description: 'usage (already invoiced)',
        amount: '-43.02',
        periodStart: B0,
        periodEnd: B1,
        invoiced: {
          invoiceIds: [first!.invoiceId, second!.invoiceId, third!.invoiceId],
          billed: '43.02',
          counted: '43.72',
          atMost: '43.02',
        },
      },
    ]);
  });

  it('apply the minimum and coupons only at the end of the period', () => {
    const run = new Run({
      prices: [metered(1, { model: 'unit', unitPrice: '1', minimumAmount: '50' })],
      used: [bulk(day(1), '20'), bulk(day(3), '10')],
      looks: [day(2), day(4)],
      threshold: '20',
      couponPercent: '10',
    }).through();
    // 20 of usage; then 30 and 20 up to the minimum, less 10 % of these 50 and the 20.
    expect(run.invoices.map(({ kind, total }) => [kind, total])).toEqual([
      ['progressive', '20.00'],
      ['cycle', '25.00'],
    ]);
  });

  it('give back usage that became cheaper, but nothing that was voided or credited', () => {
    const course: Course = {
      prices: [
        metered(1, {
          model: 'volume',
          tiers: [
            { upTo: '10', unitPrice: '2' },
            { upTo: null, unitPrice: '1' },
          ],
        }),
      ],
      used: [bulk(day(1), '10'), bulk(day(3), '2')],
      looks: [day(2)],
      threshold: '20',
      couponPercent: undefined,
    };
    const run = new Run(course).through();
    // 10 × 2 = 20; 12 × 1 = 12.
    expect(run.invoices.map(({ total, excess }) => [total, excess])).toEqual([
      ['20.00', '0.00'],
      ['0.00', '8.00'],
    ]);
    const charge = { price: course.prices[0]!, service: { start: B0, end: B1 } } as Charge;
    const [first, cheaper] = run.invoices;
    const lineId = first!.lines[0]!.id;
    expect(first!.givenBack).toEqual([
      { byInvoiceId: cheaper!.invoiceId, lines: [{ lineId, amount: '8.00' }] },
    ]);
    expect(earlierUsageCharges(charge, [first!], 'inv_9')).toMatchObject({ atMost: '12.00' });
    expect(earlierUsageCharges(charge, [first!], cheaper!.invoiceId)).toMatchObject({ atMost: '20.00' });
    const unchanged = { ...first!, givenBack: [] };
    expect(earlierUsageCharges(charge, [unchanged], 'inv_9')).toMatchObject({
      billed: '20.00',
      atMost: '20.00',
    });
    expect(earlierUsageCharges(charge, [{ ...unchanged, status: 'void' }], 'inv_9')).toMatchObject({
      billed: '20.00',
      atMost: '0.00',
    });
    const credited = [{ lines: [{ id: first!.lines[0]!.id, amount: '15.00' }], total: '15.00' }];
    expect(
      earlierUsageCharges(
        charge,
        [{ ...unchanged, creditNotes: credited as unknown as SourceInvoice['creditNotes'] }],
        'inv_9',
      ),
    ).toMatchObject({ billed: '20.00', atMost: '5.00' });
  });

  it('charge nothing for a period that turns out to be empty', () => {
    // The threshold is checked, and the subscription is amended, at the very instant of its beginning. After that: 10 × 0.1234.
    const run = new Run({
      prices: [tiered],
      used: [bulk(B0, '10')],
      looks: [B0],
      threshold: '5',
      couponPercent: undefined,
      acts: [{ at: B0, act: metered(2, MODELS[0]!) }],
    }).through();
    expect(run.invoices.map(({ kind, total, excess }) => [kind, total, excess])).toEqual([
      ['progressive', '13.05', '0.00'],
      ['amendment', '0.00', '13.05'],
      ['cycle', '1.23', '0.00'],
    ]);
  });
});

/** Usage of a group, with the instant at which it was used and the instant at which it arrived. */
interface Used {
  readonly at: Instant;
  readonly arrives: Instant;
  readonly group: string;
  readonly quantity: string;
}

interface Course {
  readonly prices: readonly PriceSnapshot[];
  readonly used: readonly Used[];
  /** The instants at which the threshold is checked. */
  readonly looks: readonly Instant[];
  /** Undefined: the subscription has no threshold. */
  readonly threshold: string | undefined;
  /** Changes of the subscription. A price is the new price of an amendment. */
  readonly acts?: readonly { at: Instant; act: 'pause' | 'resume' | 'cancel' | PriceSnapshot }[];
  readonly couponPercent: string | undefined;
}

/** A subscription through one period, or through two with a pause between them, with its invoices. */
class Run {
  readonly invoices: (SourceInvoice &
    Pick<ComputedInvoice, 'excess'> & { kind: Bill['kind']; givenBack: Invoice['givenBack'] })[] = [];
  private state: Subscription;

  constructor(private readonly course: Course) {
    const { prices, threshold } = course;
    const thresholds = threshold === undefined ? {} : { billingThresholds: { amountGte: threshold } };
    this.state = this.decided(create([...prices], thresholds), undefined);
  }

  through(): this {
    const { looks, acts = [] } = this.course;
    const steps = [
      ...looks.map((at) => ({ at, step: () => this.look(at) })),
      ...acts.map(({ at, act }) => ({ at, step: () => this.act(at, act) })),
    ];
    for (const { at, step } of steps.sort((a, b) => a.at.localeCompare(b.at))) {
      this.pass(at);
      step();
    }
    this.pass(B1);
    if (this.state.period.start < B1) this.pass(this.state.period.end);
    return this;
  }

  /** The sum of all invoices. */
  total(): string {
    return sumOf(this.invoices.map(({ total, excess }) => new Decimal(total).minus(excess))).toFixed(2);
  }

  /** The sum of the remaining amounts of all lines. */
  left(): string {
    return sumOf(this.invoices.flatMap(creditableLines).map(({ left }) => left)).toFixed(2);
  }

  private look(at: Instant): void {
    if (this.course.threshold === undefined || this.state.phase !== 'active') return;
    const bill = progressiveBill(this.state, at);
    if (bill === null) return;
    if (amountOfNewUsage(this.priced(bill).lines).lt(this.course.threshold)) return;
    this.change({ type: 'BillProgress', subscriptionId, bill });
  }

  /** Applies all changes that are due by then. */
  private pass(until: Instant): void {
    for (let next = nextDueChange(this.state); next && next.at <= until; next = nextDueChange(this.state))
      this.change(pass(next.at));
  }

  /** An act that the subscription refuses has no effect. */
  private act(at: Instant, act: NonNullable<Course['acts']>[number]['act']): void {
    try {
      this.change(this.command(at, act));
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
    }
  }

  private command(at: Instant, act: NonNullable<Course['acts']>[number]['act']): SubscriptionCommand {
    const about = { subscriptionId, at };
    switch (act) {
      case 'pause':
        return { type: 'PauseSubscription', ...about, pauseAt: null, resumeAt: null };
      case 'resume':
        return { type: 'ResumeSubscription', subscriptionId, at, resumeAt: null };
      case 'cancel':
        return { type: 'CancelSubscription', ...about, when: 'now' };
      default: {
        const change = { plan: null, addPrices: [act], removePrices: [], quantities: {} };
        const amendmentId = `amd_${this.state.amendments.length}`;
        return { type: 'AmendSubscription', ...about, amendmentId, kind: 'amend', change, prorate: true };
      }
    }
  }

  private change(command: SubscriptionCommand): void {
    const { billCount } = this.state;
    this.state = this.decided(command, this.state);
    if (this.state.billCount === billCount) return;
    const bill = this.state.lastBill!;
    const { lines, total, excess, currency } = this.priced(bill);
    const made = { invoiceId: bill.invoiceId, kind: bill.kind, currency, lines, total, excess };
    this.record(made);
    this.invoices.push({ ...made, status: 'open', creditNotes: [], givenBack: [] });
  }

  private record({ invoiceId: byInvoiceId, lines }: Pick<SourceInvoice, 'invoiceId' | 'lines'>): void {
    for (const { invoiceId, lineId, amount } of lines.flatMap(({ givesBack = [] }) => givesBack)) {
      const source = this.invoices.find((one) => one.invoiceId === invoiceId)!;
      const { left } = creditableLines(source).find((line) => line.lineId === lineId)!;
      if (new Decimal(amount).gt(left)) throw new Error(`${amount} of ${left} would be given back`);
      source.givenBack.push({ byInvoiceId, lines: [{ lineId, amount }] });
    }
  }

  private decided(command: SubscriptionCommand, before: Subscription | undefined): Subscription {
    return fold(subscriptionDecider, subscriptionDecider.decide(command, before), before)!;
  }

  private priced(bill: Bill): ComputedInvoice {
    const { couponPercent } = this.course;
    const coupon = {
      couponId: 'red_1',
      discount: { type: 'percentage' as const, percent: couponPercent ?? '0' },
    };
    return computeInvoice({
      invoiceId: bill.invoiceId,
      currency: 'USD',
      charges: bill.charges.map((charge) => this.measured(charge, bill.billedAt)),
      basis: PRORATION_BY_TIME,
      coupons: couponPercent === undefined || bill.kind === 'progressive' ? [] : [coupon],
    });
  }

  private measured(charge: Charge, now: Instant): MeasuredCharge {
    const { start, end } = charge.service;
    const counted = this.course.used.filter(({ at, arrives }) => at >= start && at < end && arrives <= now);
    const groups = [...Map.groupBy(counted, ({ group }) => group)].map(([group, used]) => ({
      values: { group },
      quantity: sumOf(used.map(({ quantity }) => quantity)).toFixed(),
      watermark: '1',
    }));
    const invoiced = earlierUsageCharges(
      charge,
      this.invoices.filter(({ invoiceId }) => charge.invoicedBy?.includes(invoiceId)),
      'inv_now',
    );
    const usage = { metricVersion: 1, groupBy: ['group'], groups };
    return { ...charge, usage, ...(invoiced ? { invoiced } : {}) };
  }
}

const metered = (version: number, config: object): PriceSnapshot =>
  price('usage', {
    version,
    config: { currency: 'USD', ...config } as unknown as PriceConfig,
    cadence: 'usage_based',
    metricId: 'met_1',
  });

const FIRST_TIERS = [
  { upTo: '10', unitPrice: '1.005', flatAmount: '3' },
  { upTo: '100', unitPrice: '0.333' },
  { upTo: null, unitPrice: '0.07' },
];
const MODELS: object[] = [
  { model: 'unit', unitPrice: '0.1234' },
  { model: 'graduated', tiers: FIRST_TIERS },
  { model: 'volume', tiers: FIRST_TIERS },
  {
    model: 'stairstep',
    tiers: [
      { upTo: '20', flatAmount: '5' },
      { upTo: '80', flatAmount: '17.5' },
      { upTo: null, flatAmount: '40' },
    ],
  },
  { model: 'package', packageSize: '7', packagePrice: '2.99' },
  { model: 'percentage', rate: '12.5' },
];
const BOUNDS: object[] = [
  {},
  { minimumAmount: '25' },
  { maximumAmount: '30' },
  { includedUnits: '15' },
  { includedUnits: '15', includedUnitsShared: true },
];

const millis = [instantToMillis(B0), instantToMillis(B1) - 1] as const;
/** An instant, often one of only a few, so that many things happen at the same instant. */
const moment = fc
  .oneof(
    fc.integer({ min: millis[0], max: millis[1] }),
    fc.integer({ min: 0, max: 4 }).map((n) => millis[0] + n * 6 * 86_400_000),
  )
  .map(instantFromMillis);
const config = fc
  .tuple(fc.constantFrom(...MODELS), fc.constantFrom(...BOUNDS))
  .map(([a, b]) => ({ ...a, ...b }));
const used = fc
  .record({
    times: fc.tuple(moment, moment),
    group: fc.constantFrom('a', 'b'),
    quantity: fc.integer({ min: 0, max: 5_000 }).map((n) => new Decimal(n).div(100).toFixed()),
  })
  .map(({ times, ...more }): Used => {
    const [at, arrives] = [...times].sort() as [Instant, Instant];
    return { ...more, at, arrives };
  });
const courses = fc.record({
  configs: fc.tuple(config, config),
  acts: fc.array(
    fc.record({
      at: moment,
      act: fc.constantFrom(
        'pause' as const,
        'resume' as const,
        'cancel' as const,
        'amend' as const,
        'back' as const,
      ),
    }),
    { maxLength: 5 },
  ),
  used: fc.array(used, { maxLength: 30 }),
  looks: fc.array(moment, { maxLength: 8 }),
  threshold: fc.integer({ min: 1, max: 4_000 }).map((n) => new Decimal(n).div(100).toFixed()),
  couponPercent: fc.option(fc.constantFrom('10', '33.3', '100'), { nil: undefined }),
});

const tiered = metered(1, MODELS[1]!);
const bulk = (at: Instant, quantity: string): Used => ({ at, arrives: at, group: 'a', quantity });
const day = (n: number): Instant => instantFromMillis(millis[0] + n * 86_400_000);
