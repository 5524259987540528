import { Decimal } from 'decimal.js';
import { addMonths, DAY, iso, type Moment } from './calendar.ts';
import { LICENSE_PRICES, VAT_PERCENT, type Catalog, type CouponTerms } from './catalog.ts';
import { Charge, type Fee, type FeeName, type GiveBack } from './charge.ts';
import type { Model } from './model.ts';
import { moneyBesides, refundedOf, returnedAtGateway, takenBackOf } from './payment-properties.ts';
import { counts } from './payment-requests.ts';
import {
  billedBy,
  keyOf,
  nothingBilled,
  type Billed,
  type SeenInvoice,
  type SeenNote,
  type SeenPreview,
  type Sight,
} from './observed.ts';

export const PROPERTIES = {
  value: 'for each fee, what a bill charges less what it gives back is what the model says',
  total:
    'what was paid, less what was refunded and is on the balance, plus what is owed, is the value delivered',
  terms: 'the subscription has the state, the prices and the period that the model says',
  preview: 'a preview equals the invoice that follows',
  invoice: 'an invoice adds up, has its taxes, and never gives back more than it charged',
  coupon: 'a coupon takes off no more than it says',
  refund: 'what an end with a refund leaves over is refunded, if cards alone have paid',
  payments:
    'a recorded payment, its reversal and a change of the balance change what is due, paid and on the balance, or are refused, as the rules say',
  accounts: 'the ledger has what was paid, what is still owed and what is on the balance',
  revenue:
    'what is earned, deferred and unbilled at the end of a month is what the model says, and comes to what is booked; a closed month stays as it is',
  attempts: 'each invoice is charged when, and as often as, the rules for retries say',
  wallet:
    'a wallet has the blocks and the balance that the model says, and what they do not cover is refused or billed',
  changes:
    'the changes of a wallet sum up to what it has, it never has less than nothing, and no credit is shown as used twice',
  books: 'the books have for credits what was paid, or is owed, for the unused part of them',
  refusal: 'a refused request is a documented 4xx and changes nothing',
  answer: 'no request fails with a 5xx, and the clock moves',
  ledger: '`ledger verify` is clean',
} as const;
export type PropertyName = keyof typeof PROPERTIES;

export interface Finding {
  readonly property: PropertyName;
  readonly problem: string;
  readonly expected: string;
  readonly actual: string;
}

/** Half a cent for each amount that is rounded: a line and its share of a coupon, and what is given back of both. */
const CENT = new Decimal('0.01');

interface Pair {
  at: Moment;
  price: FeeName;
  charges: Charge[];
  backs: GiveBack[];
}

/**
 * Compares the bills since the last look with the model's, for each instant and price, and tells the model which coupons its charges
 * had and which invoices they are on.
 */
export function compareBills(model: Model, fresh: readonly SeenInvoice[], catalog: Catalog): Finding[] {
  const findings: Finding[] = [];
  const billed = billedBy(fresh, catalog);
  const pairs = new Map<string, Pair>();
  const pairOf = (at: Moment, price: FeeName): Pair => {
    const key = keyOf(at, price);
    const pair = pairs.get(key) ?? { at, price, charges: [], backs: [] };
    pairs.set(key, pair);
    return pair;
  };
  for (const one of model.expected) {
    // First the charges: what is given back of one that was made at the same time depends on its coupon.
    if (one instanceof Charge) {
      pairOf(one.at, one.fee.price).charges.push(one);
      const seen = billed.get(keyOf(one.at, one.fee.price)) ?? nothingBilled();
      one.kept = seen.charged.isZero()
        ? new Decimal(1)
        : new Decimal(1).minus(seen.discount.div(seen.charged));
      one.left = one.amount.times(one.kept);
      one.lineIds = seen.lines.map(({ id }) => id);
      one.invoiceId ??= seen.invoiceIds.at(-1);
    } else {
      pairOf(one.at, one.charge.fee.price).backs.push(one);
      const unused = one.charge.amount.times(one.charge.kept).times(one.share);
      one.amount = Decimal.min(unused, one.charge.left);
      one.charge.left = one.charge.left.minus(one.amount);
      one.invoiceIds = fresh.filter(({ createdAt }) => Date.parse(createdAt) === one.at).map(({ id }) => id);
    }
  }
  for (const late of model.expectedLate) pairOf(late.at, late.price);
  for (const key of billed.keys()) {
    const [at, price] = key.split(/ (.*)/) as [string, FeeName];
    pairOf(Number(at), price);
  }

  for (const [key, { at, price, charges, backs }] of [...pairs].toSorted(([, a], [, b]) => a.at - b.at)) {
    const seen = billed.get(key) ?? nothingBilled();
    const charged = sum(charges.map(({ amount, kept }) => amount.times(kept)));
    const back = sum(backs.map(({ amount }) => amount));
    const net = seen.charged.minus(seen.discount).minus(seen.givenBack);
    const tolerance = CENT.times(charges.length + backs.length + seen.lines.length + 1);
    if (net.minus(charged).plus(back).abs().gt(tolerance))
      findings.push({
        property: 'value',
        problem: `${price} at ${iso(at)}`,
        expected: `${shown(charged)} charged, ${shown(back)} given back`,
        actual: `${shown(seen.charged.minus(seen.discount))} charged, ${shown(seen.givenBack)} given back`,
      });
    findings.push(...compareLate(model, at, price, seen));
  }
  model.expected = [];
  model.expectedLate = [];
  return findings;
}

/** Late usage is on the next renewal's invoice; an invoice before that may have it already. */
function compareLate(model: Model, at: Moment, price: FeeName, seen: Billed): Finding[] {
  const due = model.expectedLate.filter((late) => late.at === at && late.price === price);
  const amount = sum(due.map((late) => late.amount()));
  const isBilled = !seen.late.isZero();
  const mayWait = due.every((late) => !late.isRenewal);
  if (isBilled) {
    for (const late of due) late.settle();
    model.bearLate(price, at, seen);
  }
  const expected = isBilled || !mayWait ? amount : new Decimal(0);
  const tolerance = CENT.times(due.length + seen.lateLines.length);
  if (seen.late.minus(expected).abs().lte(tolerance)) return [];
  return [
    {
      property: 'value',
      problem: `late ${price} at ${iso(at)}`,
      expected: `${shown(expected)} for late usage`,
      actual: shown(seen.late),
    },
  ];
}

/** What is paid, owed and on the balance, against the value that was delivered. `given`: to the balance, without an invoice. */
export function compareTotals(model: Model, sight: Sight, vat: boolean, given: Decimal): Finding[] {
  const { invoices, notes, balance } = sight;
  const paid = sum([...invoices.map(({ amountPaid }) => amountPaid), moneyBesides(sight), given]);
  const due = sum(
    invoices.filter(({ status }) => status !== 'void' && status !== 'paid').map(({ amountDue }) => amountDue),
  );
  const refunded = refundedOf(invoices, notes);
  const actual = paid.minus(refunded).minus(balance).plus(due);
  const gross = vat ? new Decimal(100 + VAT_PERCENT).div(100) : new Decimal(1);
  const expected = model.owed.minus(model.returnedBeyond).times(gross).plus(takenBackOf(invoices));
  const lines = invoices.reduce((count, { lines: of }) => count + of.length, 0);
  const tolerance = CENT.times(lines + invoices.length + notes.length + model.giveBacks.length + 1);
  if (expected.minus(actual).abs().lte(tolerance)) return [];
  return [
    {
      property: 'total',
      problem: 'the customer bears',
      expected: shown(expected),
      actual: `${shown(actual)} (paid ${shown(paid)}, refunded ${shown(refunded)}, due ${shown(due)}, balance ${shown(new Decimal(balance))})`,
    },
  ];
}

/**
 * What an end with a refund leaves over is refunded where cards alone have paid. By rule 12, a cent for each invoice with taxes can be on the
 * balance instead.
 */
export function checkRefunds(
  fresh: readonly SeenInvoice[],
  { invoices, notes, balance }: Sight,
  vat: boolean,
  given: Decimal,
): Finding[] {
  const ending = fresh.find(({ excessTo }) => excessTo === 'refund');
  if (!ending || notes.length > 0 || !invoices.every(isPaidByCard)) return [];
  const refunds = invoices.flatMap((invoice) =>
    invoice.refunds.filter(({ byInvoiceId }) => byInvoiceId === ending.id).map(({ amount }) => amount),
  );
  const actual = sum(refunds);
  const rest = new Decimal(ending.balanceCredited).minus(actual);
  const most = vat ? CENT.times(invoices.length) : new Decimal(0);
  if (rest.plus(given).eq(balance) && rest.gte(0) && rest.lte(most)) return [];
  return [
    {
      property: 'refund',
      problem: `the end of ${ending.createdAt}`,
      expected: `${shown(new Decimal(ending.balanceCredited))} refunded`,
      actual: `${shown(actual)}, and ${shown(new Decimal(balance))} on the balance`,
    },
  ];
}

/** Nothing but a card has paid it, it left nothing over for the balance, and nothing went back at the payment processor. */
function isPaidByCard(invoice: SeenInvoice): boolean {
  const { status, balanceApplied, amountReduced, balanceCredited, excessTo, payments } = invoice;
  if (payments.some(counts) || returnedAtGateway(invoice).length > 0) return false;
  const leavesNothing = balanceCredited === 0 || excessTo === 'refund';
  return status === 'paid' && balanceApplied === 0 && amountReduced === 0 && leavesNothing;
}

/** State, prices and period. */
export function compareTerms(model: Model, { subscription }: Sight, catalog: Catalog): Finding[] {
  const status = ['active', 'past_due'].includes(subscription.status) ? 'active' : subscription.status;
  const period = model.status === 'active' ? [iso(model.periodStart), iso(model.periodEnd)] : [];
  // In a pause, and after the end, seats are counted and not charged: how many are shown is left open.
  const ofFee = (fee: Fee): string =>
    feeText(model.status !== 'active' && LICENSE_PRICES.includes(fee.price) ? { ...fee, quantity: 0 } : fee);
  const expected = [model.status, ...period, ...model.terms.fees.map(ofFee).toSorted()].join(', ');
  const seenPeriod =
    model.status === 'active' ? [subscription.currentPeriodStart, subscription.currentPeriodEnd] : [];
  const actual = [status, ...seenPeriod, ...feesOf(subscription, catalog).map(ofFee).toSorted()].join(', ');
  return expected === actual ? [] : [{ property: 'terms', problem: 'the subscription is', expected, actual }];
}

/** The fees of a subscription in the model's words; versions count from the history's beginning. */
export function feesOf({ prices }: Sight['subscription'], catalog: Catalog) {
  return prices.map(({ priceId, version, quantity }) => ({
    price: catalog.priceOf(priceId)!,
    version,
    quantity: quantity ?? 1,
  }));
}

function feeText({ price, version, quantity }: { price: string; version: number; quantity: number }): string {
  return `${quantity} ${price} v${version}`;
}

/** Each invoice in itself. */
export function checkInvoices(sight: Sight, vat: boolean): Finding[] {
  return sight.invoices.flatMap((invoice) => {
    const findings: Finding[] = [];
    const say = (problem: string, expected: Decimal, actual: Decimal): void => {
      const tolerance = CENT.times(invoice.lines.length + 1);
      if (expected.minus(actual).abs().gt(tolerance))
        findings.push({
          property: 'invoice',
          problem: `${problem} of the invoice of ${invoice.createdAt}`,
          expected: shown(expected),
          actual: shown(actual),
        });
    };
    const discount = sum(invoice.discounts.map(({ amount }) => amount));
    const lines = sum(invoice.lines.map(({ amount }) => amount));
    const ofLines = sum(invoice.lines.map((line) => line.discount ?? 0));
    say('discounts', ofLines, discount);
    const net = lines.minus(discount);
    const tax = sum(invoice.taxes.map(({ amount }) => amount));
    say('tax', vat ? net.times(VAT_PERCENT).div(100) : new Decimal(0), tax);
    say('total', net.plus(tax), new Decimal(invoice.total).minus(invoice.balanceCredited));
    if (invoice.amountCredited > invoice.total)
      say('credit notes', new Decimal(invoice.total), new Decimal(invoice.amountCredited));
    const ofLine = new Map<string, Decimal>();
    for (const note of sight.notes.filter((one) => one.invoiceId === invoice.id))
      for (const { lineId, amount } of note.lines)
        ofLine.set(lineId, (ofLine.get(lineId) ?? new Decimal(0)).plus(amount));
    for (const line of invoice.lines)
      if (ofLine.get(line.id)?.gt(line.amount))
        say('credit notes on a line', new Decimal(line.amount), ofLine.get(line.id)!);
    return findings;
  });
}

/** A coupon of the subscription, and the ids of the invoices that were there before it, which it takes nothing off. */
export interface AppliedCoupon {
  readonly couponId: string;
  readonly billedBefore: ReadonlySet<string>;
}

/** The coupons of a history: their terms by id, the customer's only one, and the starts of the billing periods. */
export interface CouponUse {
  readonly terms: ReadonlyMap<string, CouponTerms>;
  /** Null if there is none, or if there are several, which leave each other less. */
  readonly onlyOne: AppliedCoupon | null;
  readonly periodStarts: readonly Moment[];
}

/** What a redemption has taken off, and on which invoices that are not void. */
interface Taken {
  amount: Decimal;
  readonly at: Moment[];
}

/**
 * Coupons: a percentage of what is charged, a fixed one at most its amount for an invoice. One that is spent takes no more off than it
 * took off before. A percentage that is not spent takes something off each invoice of the subscription.
 */
export function checkCoupons(sight: Sight, use: CouponUse): Finding[] {
  const findings: Finding[] = [];
  const taken = new Map<string, Taken>();
  for (const invoice of sight.invoices) {
    const charged = sum(invoice.lines.filter(({ amount }) => amount > 0).map(({ amount }) => amount));
    for (const { couponId, redemptionId, amount } of invoice.discounts) {
      const before = taken.get(redemptionId) ?? { amount: new Decimal(0), at: [] };
      const terms = use.terms.get(couponId)!;
      if (isSpent(terms, before.at, invoice, use.periodStarts)) {
        // A spent coupon's share goes over to what takes the fee's place.
        if (before.amount.plus(CENT).lt(amount))
          findings.push({
            property: 'coupon',
            problem: `discount that went over to ${invoice.createdAt}`,
            expected: `at most the ${shown(before.amount)} that was taken off before`,
            actual: String(amount),
          });
        continue;
      }
      if (invoice.status !== 'void')
        taken.set(redemptionId, {
          amount: before.amount.plus(amount),
          at: [...before.at, Date.parse(invoice.createdAt)],
        });
      const { percentOff, amountOff } = terms;
      // What of a fixed amount goes over from several fees can be more than it takes off by itself.
      const fixed = Decimal.max(amountOff ?? 0, before.amount);
      const most = amountOff === undefined ? charged.times(percentOff!).div(100) : fixed;
      if (most.plus(CENT).lt(amount))
        findings.push({
          property: 'coupon',
          problem: `discount of ${invoice.createdAt}`,
          expected: `at most ${shown(most)}`,
          actual: String(amount),
        });
    }
  }
  return [...findings, ...checkOnlyCoupon(sight, use)];
}

/** A percentage takes something off each invoice until it is spent. */
function checkOnlyCoupon({ invoices }: Sight, { terms, onlyOne, periodStarts }: CouponUse): Finding[] {
  const coupon = onlyOne && terms.get(onlyOne.couponId)!;
  // The void of an invoice gives a use back, which later invoices may have had to do without.
  if (!coupon?.percentOff || invoices.some(({ status }) => status === 'void')) return [];
  const uses: Moment[] = [];
  for (const invoice of invoices) {
    if (onlyOne!.billedBefore.has(invoice.id)) continue;
    if (invoice.kind === 'credit_purchase' || invoice.kind === 'overage') continue;
    const charged = sum(
      invoice.lines
        .filter(({ type, amount }) => amount >= 1 && type !== 'overage')
        .map(({ amount }) => amount),
    );
    if (charged.lt(1) || isSpent(coupon, uses, invoice, periodStarts)) continue;
    if (invoice.discounts.length === 0)
      return differ('coupon', `discounts of ${invoice.createdAt}`, `${coupon.percentOff} % off`, 'none');
    uses.push(Date.parse(invoice.createdAt));
  }
  return [];
}

/**
 * Whether a coupon is spent before an invoice, by docs/coupons.md. `uses`: the invoices before that it took something off. A coupon for
 * months counts as spent on their last day: whether the time of day counts, the model leaves open.
 */
function isSpent(
  { duration, durationInInvoices, durationInMonths }: CouponTerms,
  uses: readonly Moment[],
  { createdAt }: SeenInvoice,
  periodStarts: readonly Moment[],
): boolean {
  const [first] = uses;
  if (first === undefined || duration === 'forever') return false;
  if (duration === 'once') return true;
  const at = Date.parse(createdAt);
  if (durationInMonths !== undefined) return at >= addMonths(first, durationInMonths) - DAY;
  const periodOf = (instant: Moment): Moment => periodStarts.findLast((start) => start <= instant)!;
  const periods = new Set(uses.map(periodOf));
  return periods.size >= durationInInvoices! && !periods.has(periodOf(at));
}

/** A preview against the invoice that was made of it, if one was. */
export function comparePreview(preview: SeenPreview | null, invoice: SeenInvoice | undefined): Finding[] {
  const isNothing = preview === null || (preview.lines.length === 0 && preview.total === 0);
  if (!invoice && isNothing) return [];
  const expected = preview === null ? 'none' : previewText(preview);
  const actual = invoice ? previewText({ ...invoice, billedAt: invoice.createdAt }) : 'none';
  return expected === actual ? [] : [{ property: 'preview', problem: 'the next invoice', expected, actual }];
}

function previewText({ billedAt, total, lines, creditsUsed }: Omit<SeenPreview, 'balanceCredited'>): string {
  const shownLines = lines
    .map(({ type, amount, discount = 0, periodStart, periodEnd }) =>
      [type, amount, discount, periodStart.slice(0, 10), periodEnd.slice(0, 10)].join(' '),
    )
    .toSorted();
  const used = creditsUsed.map(({ creditType, credits }) => `${credits} ${creditType} used`).toSorted();
  return [`${billedAt}: ${total}`, ...shownLines, ...used].join(' | ');
}

/** The notes that the void of a block made: one over the price of what was left of it, if that is a cent or more. */
export function compareNotes(notes: readonly SeenNote[], amount: Decimal, vat: boolean): Finding[] {
  const gross = vat ? amount.times(100 + VAT_PERCENT).div(100) : amount;
  const total = sum(notes.map((note) => note.total));
  const isRight = total.minus(gross).abs().lte(CENT) && notes.length === (amount.isZero() ? 0 : 1);
  const actual = `${notes.length} over ${shown(total)}`;
  return isRight
    ? []
    : [{ property: 'invoice', problem: 'credit notes of a void', expected: shown(gross), actual }];
}

/** A credit note takes no more of a charge than is left, and the model takes it off. */
export function takeOff(model: Model, note: SeenNote, vat: boolean): Finding[] {
  const gross = vat ? new Decimal(100 + VAT_PERCENT).div(100) : new Decimal(1);
  const net = new Decimal(note.total).div(gross);
  const ofInvoice = model.charges.filter(({ invoiceId, isVoid }) => invoiceId === note.invoiceId && !isVoid);
  const left = sum(ofInvoice.map((charge) => charge.left));
  const tolerance = CENT.times(ofInvoice.length + 2);
  const findings: Finding[] = [];
  if (net.gt(left.plus(tolerance)))
    findings.push({
      property: 'invoice',
      problem: `credit note ${note.issuedAt}`,
      expected: `at most the ${shown(left)} that are left of the invoice`,
      actual: shown(net),
    });
  for (const { lineId, amount } of note.lines) {
    const charge = ofInvoice.find(({ lineIds }) => lineIds.includes(lineId));
    if (!charge) continue;
    const taken = charge.kept.times(amount);
    if (taken.gt(charge.left.plus(tolerance)))
      findings.push({
        property: 'invoice',
        problem: `credit note ${note.issuedAt} on ${charge.fee.price}`,
        expected: `at most the ${shown(charge.left)} that are left of the line`,
        actual: shown(taken),
      });
    charge.credit(taken, model.now);
  }
  // An amount is of the lines in proportion to what is left of them.
  if (note.lines.length === 0 && !left.isZero())
    for (const charge of ofInvoice) charge.credit(net.times(charge.left).div(left), model.now);
  return findings;
}

/** What went back at the payment processor is of the invoice's lines in proportion to what is left of them. */
export function takeBack(model: Model, invoiceId: string, amount: number, vat: boolean): void {
  const gross = vat ? new Decimal(100 + VAT_PERCENT).div(100) : new Decimal(1);
  const net = new Decimal(amount).div(gross);
  const ofInvoice = model.charges.filter((charge) => charge.invoiceId === invoiceId && !charge.isVoid);
  const left = sum(ofInvoice.map((charge) => charge.left));
  const taken = Decimal.min(net, left);
  model.returnedBeyond = model.returnedBeyond.plus(net.minus(taken));
  if (!left.isZero())
    for (const charge of ofInvoice) charge.credit(taken.times(charge.left).div(left), model.now);
}

/** A finding if two texts are not the same. */
export function differ(property: PropertyName, problem: string, expected: string, actual: string): Finding[] {
  return expected === actual ? [] : [{ property, problem, expected, actual }];
}

export function sum(amounts: readonly (Decimal | number)[]): Decimal {
  return amounts.reduce<Decimal>((total, amount) => total.plus(amount), new Decimal(0));
}

function shown(amount: Decimal): string {
  return amount.toFixed(2);
}
