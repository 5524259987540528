import { Decimal } from 'decimal.js';
import type { Moment } from './calendar.ts';
import type { PriceName } from './catalog.ts';
import type { CreditLineName } from './credits.ts';

/** A fee as a subscription has it: a change goes past it if all three stay the same. */
export interface Fee {
  readonly price: PriceName;
  readonly version: number;
  readonly quantity: number;
}

/** What a line can be for: a fee of the subscription, or credits. */
export type FeeName = PriceName | CreditLineName;

/** What is charged: a fee, or credits that were bought or missing. */
export interface Charged {
  readonly price: FeeName;
  readonly version: number;
  readonly quantity: number;
}

export function isSameFee(one: Charged, other: Charged): boolean {
  return one.price === other.price && one.version === other.version && one.quantity === other.quantity;
}

/**
 * What the model expects to be charged for a fee and a stretch of time. `left` is what the customer has paid, or owes, of it:
 * after coupons, before taxes, less what was given back.
 */
export class Charge {
  readonly fee: Charged;
  /** When it is billed. */
  readonly at: Moment;
  readonly from: Moment;
  readonly to: Moment;
  /** Before coupons, not rounded. */
  readonly amount: Decimal;
  /** Whether its unused part can be given back. */
  readonly isAdvance: boolean;
  left = new Decimal(0);
  /** How much of it stands after coupons: 1 without any. Known when the invoice has been seen. */
  kept = new Decimal(1);
  /** Up to where it still stands: earlier than `to` once its unused part was given back. */
  standsTo: Moment;
  /** When its invoice was voided; null: it was not. */
  voidedAt: Moment | null = null;
  /** What credit notes took off, and until when its time stood then. */
  readonly credited: { readonly at: Moment; readonly amount: Decimal; readonly stoodTo: Moment }[] = [];
  invoiceId: string | undefined;
  lineIds: string[] = [];

  constructor(
    fee: Charged,
    at: Moment,
    time: { from: Moment; to: Moment },
    amount: Decimal,
    isAdvance: boolean,
  ) {
    this.fee = fee;
    this.at = at;
    this.from = time.from;
    this.to = time.to;
    this.amount = amount;
    this.isAdvance = isAdvance;
    this.standsTo = time.to;
  }

  get isVoid(): boolean {
    return this.voidedAt !== null;
  }

  /** A credit note takes a part off. */
  credit(amount: Decimal, at: Moment): void {
    this.credited.push({ at, amount, stoodTo: this.standsTo });
    this.left = this.left.minus(amount);
  }

  /** The share of the whole that lies after an instant, and still stands. */
  unusedShare(at: Moment): Decimal {
    if (at >= this.standsTo) return new Decimal(0);
    const begins = Math.max(at, this.from);
    return new Decimal(this.standsTo - begins).div(this.to - this.from);
  }
}

/** What the model expects to be given back of a charge: its unused part, up to what is left of it then. */
export class GiveBack {
  readonly charge: Charge;
  readonly at: Moment;
  readonly share: Decimal;
  readonly stoodTo: Moment;
  amount = new Decimal(0);
  invoiceIds: string[] = [];
  /** When the invoice that gave it back was voided; null: it was not. */
  undoneAt: Moment | null = null;

  constructor(charge: Charge, at: Moment) {
    this.charge = charge;
    this.at = at;
    this.share = charge.unusedShare(at);
    this.stoodTo = charge.standsTo;
    charge.standsTo = Math.max(at, charge.from);
  }

  get isUndone(): boolean {
    return this.undoneAt !== null;
  }
}
