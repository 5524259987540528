import { Decimal } from 'decimal.js';
import { DAY, type Moment } from './calendar.ts';
import type { Charge } from './charge.ts';
import { CREDIT_TYPES, type Allowance, type CreditLineName, type CreditTypeName } from './credits.ts';

/** Credits that were granted, or bought and paid, together. */
export interface Block {
  /** Null until it has been seen: nobody was told the id. */
  id: string | null;
  readonly amount: number;
  left: number;
  readonly priority: number;
  readonly from: Moment;
  readonly until: Moment | null;
  /** What the customer paid for it; null: it was free. */
  readonly bought: { readonly charge: Charge; readonly cost: Decimal } | null;
  readonly allowance: Allowance | null;
}

/** Credits that were sold and not paid. */
export interface Unpaid {
  readonly charge: Charge;
  readonly amount: number;
  readonly cost: Decimal;
  /** Null: they never expire. `default`: after the days of the credit type, from the payment on. */
  readonly until: Moment | null | 'default';
  readonly isTopUp: boolean;
}

export interface TopUp {
  readonly threshold: number;
  readonly credits: number;
  readonly maxPerMonth: number;
}

/** The invoice of a purchase, as it was seen. */
export interface SeenPurchase {
  readonly type: CreditTypeName;
  readonly at: Moment;
  readonly credits: number;
  readonly invoiceId: string;
  /** The customer's balance has paid it, which the model does not know. */
  readonly isPaidByBalance: boolean;
}

/** What the wallet asks its customer's model to do. */
export interface Till {
  readonly hasCard: boolean;
  charge(name: CreditLineName, quantity: number, amount: Decimal): Charge;
  /** The invoice that was seen for a purchase; undefined: there is none. */
  claim(type: CreditTypeName, at: Moment, credits: number): SeenPurchase | undefined;
  /** Whether there is one that no purchase has yet. */
  sees(type: CreditTypeName, at: Moment, credits: number): boolean;
}

export const DEFAULT_PRIORITY = 10;

/** A customer's credits of one type, by docs/prepaid.md alone. */
export class Wallet {
  readonly type: CreditTypeName;
  blocks: Block[] = [];
  unpaid: Unpaid[] = [];
  /** Credits that usage cost and no block covered, and that no bill has. */
  overage = 0;
  /** All of them that there ever were. */
  uncovered = 0;
  /** All credits that usage took from blocks. */
  covered = 0;
  topUp: TopUp | null = null;
  /** Whether anything ever happened to it. */
  isUsed = false;
  private readonly topUps = new Map<string, number>();
  private deferredUntil: Moment | null = null;
  /** The most that a refused event costs, and the month of the refusal. */
  private refused: { readonly credits: number; readonly month: string } | null = null;
  private readonly till: Till;

  constructor(type: CreditTypeName, till: Till) {
    this.type = type;
    this.till = till;
  }

  /** The blocks with credits left, in the order in which usage takes them. */
  get ordered(): Block[] {
    return this.blocks.toSorted(
      (a, b) =>
        a.priority - b.priority ||
        (a.until ?? Infinity) - (b.until ?? Infinity) ||
        Number(a.bought !== null) - Number(b.bought !== null) ||
        a.from - b.from ||
        (a.id ?? '').localeCompare(b.id ?? '', 'en'),
    );
  }

  balanceAt(at: Moment): number {
    return sumOf(this.usable(at));
  }

  grant(given: Omit<Block, 'left' | 'bought' | 'allowance'>, allowance: Allowance | null = null): Block {
    this.isUsed = true;
    const block = { ...given, left: given.amount, bought: null, allowance };
    this.blocks.push(block);
    return block;
  }

  /** The end of credits that name none. */
  endOf(from: Moment): Moment | null {
    const { expiresAfterDays } = CREDIT_TYPES[this.type];
    return expiresAfterDays === null ? null : from + expiresAfterDays * DAY;
  }

  /** Usage that costs so many credits. Answers whether it is accepted. */
  use(credits: number, at: Moment): boolean {
    const short = credits - this.balanceAt(at);
    if (short > 0 && CREDIT_TYPES[this.type].overage === 'block') {
      const known = this.refused?.month === monthOf(at) ? this.refused.credits : 0;
      if (this.topUp !== null) this.refused = { credits: Math.max(known, credits), month: monthOf(at) };
      return false;
    }
    this.isUsed = true;
    const covered = Math.min(credits, this.balanceAt(at));
    this.take(covered, at);
    this.covered += covered;
    if (short > 0) {
      this.overage += short;
      this.uncovered += short;
    }
    return true;
  }

  /** Takes credits in their order. */
  take(credits: number, at: Moment): void {
    let open = credits;
    for (const block of this.ordered.filter((one) => isUsable(one, at))) {
      const part = Math.min(open, block.left);
      block.left -= part;
      open -= part;
    }
    this.tidy();
  }

  /** Ends what is left of a block. */
  end(block: Block): void {
    block.left = 0;
    this.tidy();
  }

  /** Sells credits. Those that are paid can be used at once. */
  buy(credits: number, byCard: boolean, until: Unpaid['until'], at: Moment, isTopUp = false): void {
    this.isUsed = true;
    const { unitPrice } = CREDIT_TYPES[this.type];
    const cost = new Decimal(unitPrice).times(credits).toDecimalPlaces(2);
    const seen = this.till.claim(this.type, at, credits);
    const charge = this.till.charge(`purchase of ${this.type}`, credits, cost);
    charge.invoiceId = seen?.invoiceId;
    const purchase = { charge, amount: credits, cost, until, isTopUp };
    this.unpaid.push(purchase);
    if ((byCard && this.till.hasCard) || seen?.isPaidByBalance) this.pay(purchase, at);
  }

  pay(purchase: Unpaid, at: Moment): void {
    const { charge, amount, cost } = purchase;
    const until = purchase.until === 'default' ? this.endOf(at) : purchase.until;
    this.unpaid = this.unpaid.filter((one) => one !== purchase);
    const block = { id: null, amount, left: amount, priority: DEFAULT_PRIORITY, from: at, until };
    this.blocks.push({ ...block, bought: { charge, cost }, allowance: null });
  }

  /** An invoice was voided. */
  voided(invoiceId: string, at: Moment): void {
    for (const purchase of this.unpaid)
      if (purchase.charge.invoiceId === invoiceId && purchase.isTopUp) this.deferredUntil = nextMonth(at);
    this.unpaid = this.unpaid.filter(({ charge }) => charge.invoiceId !== invoiceId);
  }

  /** Another top-up does not wait for what the one before waited for. */
  setTopUp(topUp: TopUp | null): void {
    if (JSON.stringify(topUp) === JSON.stringify(this.topUp)) return;
    this.isUsed = true;
    this.topUp = topUp;
    this.deferredUntil = null;
    if (topUp === null) this.refused = null;
  }

  /** Takes what no bill has yet onto one. */
  bill(): void {
    if (this.overage === 0) return;
    const { overagePrice } = CREDIT_TYPES[this.type];
    const amount = new Decimal(overagePrice).times(this.overage);
    this.till.charge(`overage of ${this.type}`, this.overage, amount);
    this.overage = 0;
  }

  /** The instants at which something happens by itself, after another. */
  duesAfter(at: Moment): Moment[] {
    const ends = this.blocks.flatMap(({ until }) => until ?? []);
    const unpaid = this.unpaid.flatMap(({ until }) => (typeof until === 'number' ? until : []));
    const months = this.topUp === null ? [] : [nextMonth(at)];
    return [...ends, ...unpaid, ...months].filter((due) => due > at);
  }

  /** What has expired goes, but for allowances: a part of them may stay. Unpaid credits go with their invoice. */
  expire(at: Moment): void {
    for (const block of this.blocks)
      if (block.allowance === null && block.until !== null && block.until <= at) block.left = 0;
    this.tidy();
    for (const { charge, until, isTopUp } of this.unpaid)
      if (typeof until === 'number' && until <= at) {
        charge.voidedAt = at;
        charge.left = new Decimal(0);
        if (isTopUp) this.deferredUntil = nextMonth(at);
      }
    this.unpaid = this.unpaid.filter(({ charge }) => !charge.isVoid);
  }

  /**
   * Buys what the balance needs, after all that happened at an instant. What happens by itself at one instant has no order: if the balance
   * was low without what was granted then, a purchase that was seen is right too. With `mayWait`, so is one that was not seen. Usage that
   * was refused can be known later than usage that was stored, so what both need can be two purchases.
   */
  replenish(at: Moment, { hasOrder, mayWait }: { hasOrder: boolean; mayWait: boolean }): void {
    for (;;) {
      const { topUp } = this;
      if (topUp === null || this.unpaid.length > 0) return;
      if (this.deferredUntil !== null && at < this.deferredUntil) return;
      const month = monthOf(at);
      const count = this.topUps.get(month) ?? 0;
      const left = topUp.maxPerMonth - count;
      if (left <= 0) return;
      const before = sumOf(this.usable(at).filter(({ from, bought }) => from < at && bought === null));
      const balance = this.balanceAt(at);
      if (this.refused !== null && this.refused.credits <= balance) this.refused = null;
      const needed = this.topUpsFor(balance, topUp, left, month);
      const neededBefore = hasOrder ? 0 : this.topUpsFor(before, topUp, left, month);
      const possible = Math.max(needed, neededBefore);
      const sizes = Array.from({ length: possible }, (_, i) => possible - i);
      const seen = sizes.find((size) => this.till.sees(this.type, at, size * topUp.credits));
      const size = seen ?? (mayWait ? 0 : needed);
      if (size === 0) return;
      this.topUps.set(month, count + size);
      this.buy(size * topUp.credits, true, 'default', at, true);
    }
  }

  /** The number of top-ups that a balance needs: to be above the threshold, and to cover usage that was refused in this month. */
  private topUpsFor(balance: number, { threshold, credits }: TopUp, left: number, month: string): number {
    const forThreshold = balance > threshold ? 0 : Math.floor((threshold - balance) / credits) + 1;
    const refused = this.refused?.month === month ? this.refused.credits : 0;
    const forRefused = Math.max(Math.ceil((refused - balance) / credits), 0);
    return Math.max(Math.min(forThreshold, left), forRefused <= left ? forRefused : 0);
  }

  /** What the customer paid, or owes, for credits that were not used. */
  get booked(): Decimal {
    const paid = this.blocks.flatMap(({ bought, left, amount }) =>
      bought ? [bought.cost.times(left).div(amount).toDecimalPlaces(2)] : [],
    );
    return [...paid, ...this.unpaid.map(({ cost }) => cost)].reduce(
      (sum, part) => sum.plus(part),
      new Decimal(0),
    );
  }

  private usable(at: Moment): Block[] {
    return this.blocks.filter((block) => isUsable(block, at));
  }

  private tidy(): void {
    this.blocks = this.blocks.filter(({ left }) => left > 0);
  }
}

/** A block counts from its first instant until just before its end. */
export function isUsable({ from, until }: Block, at: Moment): boolean {
  return from <= at && (until === null || at < until);
}

function sumOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { left }) => sum + left, 0);
}

/** The calendar month in UTC, such as `2026-01`. */
function monthOf(at: Moment): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The beginning of the next calendar month, in UTC. */
function nextMonth(at: Moment): Moment {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
