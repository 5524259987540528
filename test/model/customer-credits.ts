import { Decimal } from 'decimal.js';
import { periodAt, type Moment } from './calendar.ts';
import type { PlanName } from './catalog.ts';
import {
  ALLOWANCES,
  CREDIT_TYPE_NAMES,
  CREDIT_TYPES,
  type Allowance,
  type CreditTypeName,
} from './credits.ts';
import { Wallet, type Block, type SeenPurchase, type Till } from './wallet.ts';

/** What allowances follow of a subscription. */
export interface Subscribed {
  readonly status: 'active' | 'paused' | 'canceled';
  readonly plan: PlanName;
  readonly anchor: Moment;
  readonly periodStart: Moment;
  readonly periodEnd: Moment;
}

/** How long a top-up may wait for the next allowance after the end of one. */
const ALLOWANCE_WAIT = 60_000;

interface Interval {
  readonly from: Moment;
  readonly to: Moment;
}

/** What an allowance gave for an interval. */
interface Given extends Interval {
  /** The number of changes of plan before it. */
  readonly changes: number;
  /** Without what rolled over. */
  readonly credits: number;
  readonly block: Block;
  /** What was left of it at its end; null: it has not ended, or nothing was left. */
  left: number | null;
  /** What was used of it before an earlier change of plan in the interval. */
  readonly usedBefore: number;
}

/** All wallets of a customer, and what its plan puts into them. */
export class CustomerCredits {
  readonly wallets: ReadonlyMap<CreditTypeName, Wallet>;
  /** The invoices of purchases that were seen and belong to no purchase of the model yet. */
  seen: SeenPurchase[] = [];
  /** The newest interval that each allowance was granted for. */
  private readonly granted = new Map<Allowance, Given>();
  /** The present plan, and the changes of plan until now. */
  private plan: PlanName | null = null;
  private changes = { count: 0, newest: null as Moment | null };
  /** The end of the interval before the newest one. */
  private readonly endsBefore = new Map<Allowance, Moment>();
  private readonly ratesSince: Moment;

  constructor(ratesSince: Moment, till: Pick<Till, 'charge' | 'hasCard'>) {
    this.ratesSince = ratesSince;
    const find = (type: CreditTypeName, at: Moment, credits: number): SeenPurchase | undefined =>
      this.seen.find((one) => one.type === type && one.at === at && one.credits === credits);
    const whole: Till = {
      hasCard: till.hasCard,
      charge: (...charged) => till.charge(...charged),
      claim: (...purchase) => {
        const found = find(...purchase);
        this.seen = this.seen.filter((one) => one !== found);
        return found;
      },
      sees: (...purchase) => find(...purchase) !== undefined,
    };
    this.wallets = new Map(CREDIT_TYPE_NAMES.map((type) => [type, new Wallet(type, whole)]));
  }

  get isUsed(): boolean {
    return [...this.wallets.values()].some((wallet) => wallet.isUsed);
  }

  of(type: CreditTypeName): Wallet {
    return this.wallets.get(type)!;
  }

  /** Usage of several events, each by itself. Answers which of them are refused. The rate is that of the event's own time. */
  use(type: CreditTypeName, units: readonly number[], usedAt: Moment, now: Moment): boolean[] {
    const rate = usedAt < this.ratesSince ? 0 : CREDIT_TYPES[type].creditsPerUnit;
    return units.map((count) => !this.of(type).use(count * rate, now));
  }

  /** The next instant after another at which something happens by itself. */
  duesAfter(at: Moment): Moment[] {
    const ends = this.endsOfAllowances().flatMap(([, end]) => [end, end + ALLOWANCE_WAIT]);
    return [
      ...ends.filter((end) => end > at),
      ...[...this.wallets.values()].flatMap((wallet) => wallet.duesAfter(at)),
    ];
  }

  voided(invoiceId: string, at: Moment): void {
    for (const wallet of this.wallets.values()) wallet.voided(invoiceId, at);
  }

  /** Takes all overage onto a bill. */
  bill(): void {
    for (const wallet of this.wallets.values()) wallet.bill();
  }

  /** All that follows from an instant: allowances begin and end, credits expire, and what the balance needs is bought. */
  settle(subscribed: Subscribed, at: Moment, hasOrder: boolean): void {
    if (this.plan !== null && this.plan !== subscribed.plan)
      this.changes = { count: this.changes.count + 1, newest: at };
    this.plan = subscribed.plan;
    for (const allowance of ALLOWANCES)
      if (allowance.plan === subscribed.plan) this.grant(allowance, subscribed, at);
    this.endAllowances(subscribed, at);
    for (const wallet of this.wallets.values()) {
      wallet.expire(at);
      wallet.replenish(at, { hasOrder, mayWait: this.awaitsAllowance(wallet, at) });
    }
  }

  /**
   * Whether an allowance of the wallet has just ended, so that a top-up may wait for the next one. It may still wait when the next one has
   * come: what was put off before that stays put off.
   */
  private awaitsAllowance({ type }: Wallet, at: Moment): boolean {
    return this.endsOfAllowances().some(
      ([allowance, end]) => allowance.type === type && end <= at && at < end + ALLOWANCE_WAIT,
    );
  }

  private endsOfAllowances(): [Allowance, Moment][] {
    const newest = [...this.granted].map(([allowance, { to }]): [Allowance, Moment] => [allowance, to]);
    return [...newest, ...this.endsBefore];
  }

  /** Gives an allowance for the present interval, once. Of what is left of the one right before, a part can stay. */
  private grant(allowance: Allowance, subscribed: Subscribed, at: Moment): void {
    if (subscribed.status !== 'active' || at >= subscribed.periodEnd) return;
    const { from, to } = intervalOf(allowance, subscribed, at);
    const last = this.granted.get(allowance);
    const isSameStay = last?.changes === this.changes.count;
    if (last && last.from >= from && isSameStay) return;
    const credits = this.creditsOf(allowance, { from, to });
    if (credits === 0) return;
    const { type, priority, rollover } = allowance;
    const wallet = this.of(type);
    const before = wallet.blocks.find((block) => block.allowance === allowance);
    const left = before?.left ?? 0;
    const stays =
      rollover && last && isSameStay && last.to >= from
        ? Math.min(Math.max(left, rollover.minimum), rollover.maximum)
        : 0;
    const usedBefore = last && !isSameStay && last.to > from ? usedOf(last) : 0;
    if (before) this.end(wallet, before);
    const block = wallet.grant({ id: null, amount: credits + stays, priority, from, until: to }, allowance);
    if (last) this.endsBefore.set(allowance, last.to);
    const { count: changes } = this.changes;
    this.granted.set(allowance, { from, to, changes, credits, block, left: null, usedBefore });
  }

  /**
   * What an allowance gives for an interval: all of it, or after a change of plan within the interval the share for the rest. All that an
   * interval gives is at most what the largest plan in it gives. What was not used of an earlier plan does not count.
   */
  private creditsOf(allowance: Allowance, { from, to }: Interval): number {
    const { newest, count } = this.changes;
    if (newest === null || newest < from) return allowance.credits;
    const inInterval = [...this.granted].filter(
      ([one, given]) => one.type === allowance.type && given.to > from,
    );
    if (newest === from && inInterval.length === 0) return allowance.credits;
    const share = new Decimal(allowance.credits)
      .times(to - newest)
      .div(to - from)
      .floor()
      .toNumber();
    const given = inInterval.map(([, one]) =>
      one.changes === count ? one.credits + one.usedBefore : usedOf(one),
    );
    const plans = new Set([allowance.plan, ...inInterval.map(([{ plan }]) => plan)]);
    const creditsOfPlan = (plan: PlanName, among: readonly Allowance[]): number =>
      sum(
        among.filter((one) => one.plan === plan && one.type === allowance.type).map(({ credits }) => credits),
      );
    const largest = Math.max(
      creditsOfPlan(allowance.plan, ALLOWANCES),
      ...[...plans].map((plan) =>
        creditsOfPlan(
          plan,
          inInterval.map(([one]) => one),
        ),
      ),
    );
    return Math.max(Math.min(share, largest - sum(given)), 0);
  }

  /** Ends what is left of an allowance, and remembers how much that was. */
  private end(wallet: Wallet, block: Block): void {
    const given = this.granted.get(block.allowance!);
    if (given?.block === block) given.left = block.left;
    wallet.end(block);
  }

  /** Allowances end with their interval, with their plan and with the subscription. */
  private endAllowances({ status, plan }: Subscribed, at: Moment): void {
    for (const wallet of this.wallets.values())
      for (const block of [...wallet.blocks]) {
        if (block.allowance === null) continue;
        const isGiven = status !== 'canceled' && block.allowance.plan === plan;
        if (!isGiven || block.until! <= at) this.end(wallet, block);
      }
  }
}

/** What was used of an allowance in its interval. What rolled over is used first. */
function usedOf({ credits, block, left, usedBefore }: Given): number {
  return Math.max(credits - (left ?? block.left), 0) + usedBefore;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function intervalOf(
  { every }: Allowance,
  { anchor, periodStart, periodEnd }: Subscribed,
  at: Moment,
): Interval {
  if (every === 'period') return { from: periodStart, to: periodEnd };
  return periodAt(anchor, every === 'month' ? 1 : 12, at);
}
