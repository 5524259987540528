import { periodAt, type Moment } from './calendar.ts';
import type { PlanName } from './catalog.ts';
import {
  ALLOWANCES,
  CREDIT_TYPE_NAMES,
  CREDIT_TYPES,
  type Allowance,
  type CreditTypeName,
} from './credits.ts';
import { Wallet, type SeenPurchase, type Till } from './wallet.ts';

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

/** All wallets of a customer, and what its plan puts into them. */
export class CustomerCredits {
  readonly wallets: ReadonlyMap<CreditTypeName, Wallet>;
  /** The invoices of purchases that were seen and belong to no purchase of the model yet. */
  seen: SeenPurchase[] = [];
  /** The newest interval that each allowance was granted for. */
  private readonly granted = new Map<Allowance, Interval>();
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
    if (last && last.from >= from) return;
    const { type, credits, priority, rollover } = allowance;
    const wallet = this.of(type);
    const before = wallet.blocks.find((block) => block.allowance === allowance);
    const left = before?.left ?? 0;
    const stays =
      rollover && last?.to === from ? Math.min(Math.max(left, rollover.minimum), rollover.maximum) : 0;
    if (before) wallet.end(before);
    wallet.grant({ id: null, amount: credits + stays, priority, from, until: to }, allowance);
    if (last) this.endsBefore.set(allowance, last.to);
    this.granted.set(allowance, { from, to });
  }

  /** Allowances end with their interval, with their plan and with the subscription. */
  private endAllowances({ status, plan }: Subscribed, at: Moment): void {
    for (const wallet of this.wallets.values())
      for (const block of [...wallet.blocks]) {
        if (block.allowance === null) continue;
        const isGiven = status !== 'canceled' && block.allowance.plan === plan;
        if (!isGiven || block.until! <= at) wallet.end(block);
      }
  }
}

function intervalOf(
  { every }: Allowance,
  { anchor, periodStart, periodEnd }: Subscribed,
  at: Moment,
): Interval {
  if (every === 'period') return { from: periodStart, to: periodEnd };
  return periodAt(anchor, every === 'month' ? 1 : 12, at);
}
