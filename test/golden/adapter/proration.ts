import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import {
  PRORATION_BY_TIME,
  computeInvoice,
  reconcileFees,
  prorate as shareOf,
  remainderOf,
  divideAtPeriodBoundaries,
  type BilledFee,
  type RemainingFee,
  type MeasuredCharge,
  type ComputedInvoice,
  type Period,
  type PriceSnapshot,
  type ProrationBasis,
  type RecurringCadence,
} from '#libs/rating';
import { instantOf, periodOf, textOf, type GoldenPeriod } from './instants.ts';

const feeOf = (priceId: string, unitPrice: string, currency: string): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config: { model: 'unit', unitPrice, currency },
  cadence: 'monthly',
  timing: 'in_advance',
  metricId: null,
});

const invoiceOf = (currency: string, charges: MeasuredCharge[], basis?: ProrationBasis): ComputedInvoice =>
  computeInvoice({ invoiceId: 'invoice', currency, charges, ...(basis ? { basis } : {}) });

/** Net of an invoice: what is to be paid, or below zero what goes to the balance. */
const netOf = ({ total, excess, currency }: ComputedInvoice) =>
  moneyString(new Decimal(total).minus(excess), currency);

interface StubCase {
  currency: string;
  full_price: string;
  service: GoldenPeriod;
  period: GoldenPeriod;
  basis?: 'time' | 'second' | 'day';
  timezone?: string;
}

export function stub({ currency, full_price, service, period, basis, timezone = 'UTC' }: StubCase) {
  const price = feeOf('price', full_price, currency);
  const charge = { price, service: periodOf(service), period: periodOf(period) };
  const { lines } = invoiceOf(
    currency,
    [charge],
    basis === 'day' ? { unit: 'days', timezone } : PRORATION_BY_TIME,
  );
  return { amount: lines[0]!.amount };
}

interface Change {
  item: string;
  action: 'remove' | 'add';
  unit_price: string;
  quantity: string;
  at: string;
  /** What was billed for the period, if not its full price, and what has been given back of it. */
  billed?: string;
  already_credited?: string;
}

interface ProrateCase {
  currency: string;
  period: GoldenPeriod;
  changes: Change[];
}

/** Changes of one instant are one change, in which what stays the same cancels out. */
export function prorate({ currency, changes, ...given }: ProrateCase) {
  const period = periodOf(given.period);
  const charges = [...Map.groupBy(changes, ({ at }) => at)].flatMap(([at, together]) =>
    changeCharges(
      together.map((change) => ({ ...changedFee(change, currency), period })),
      instantOf(at),
    ),
  );
  const invoice = invoiceOf(currency, charges);
  const lines = invoice.lines.map(({ amount }, i) => ({ item: charges[i]!.price.name, amount }));
  return { lines, net: netOf(invoice) };
}

/** A fee that begins, or one that ends, of which so much was billed and is left. */
interface ChangedFee {
  price: PriceSnapshot;
  period: Period;
  quantity?: string;
  left?: Omit<RemainingFee, 'lineId'>;
}

/** What the fees that begin owe, less what was billed for those that end, in the order given. */
function changeCharges(changes: ChangedFee[], at: string): MeasuredCharge[] {
  const service = ({ period }: ChangedFee) => remainderOf(period, at);
  const begun = changes.filter((change) => !change.left);
  const ended = changes.filter((change) => change.left);
  const billed = ended.map(({ price, quantity = '1', period }, i): BilledFee => ({
    invoiceId: String(i),
    price,
    quantity,
    service: period,
    period,
  }));
  const target = begun.map((change) => {
    const { price, quantity = '1', period } = change;
    return { price, period, service: service(change), ...(quantity === '1' ? {} : { quantity }) };
  });
  const { chargesToBill, giveBacks } = reconcileFees(target, billed, at);
  const measured = giveBacks.map((charge) => {
    const { left } = ended[Number(charge.refund!.invoiceId)]!;
    return { ...charge, remainingFee: { lineId: 'line', ...left! } };
  });
  const orderOf = ({ price }: MeasuredCharge) => changes.findIndex((change) => change.price === price);
  return [...measured, ...chargesToBill].sort((a, b) => orderOf(a) - orderOf(b));
}

/** The same item at another price is another price to us. */
function changedFee(change: Change, currency: string): Omit<ChangedFee, 'period'> {
  const { item, action, unit_price, quantity, billed, already_credited = '0' } = change;
  const price = { ...feeOf(item, unit_price, currency), priceId: `${item} at ${unit_price}` };
  if (action === 'add') return { price, quantity };
  const net = billed ?? new Decimal(unit_price).times(quantity).toFixed();
  return { price, quantity, left: leftOf(net, already_credited) };
}

function leftOf(net: string, credited: string): Omit<RemainingFee, 'lineId'> {
  return { net, left: new Decimal(net).minus(credited).toFixed() };
}

interface Side {
  full_price: string;
  at: string;
  period: GoldenPeriod;
}

export function prorate_two({ currency, remove, add }: { currency: string; remove: Side; add: Side }) {
  const sideOf = (name: string, { full_price, period }: Side) => ({
    price: feeOf(name, full_price, currency),
    period: periodOf(period),
  });
  const removed = { ...sideOf('old', remove), left: leftOf(remove.full_price, '0') };
  const charges = [
    ...changeCharges([removed], instantOf(remove.at)),
    ...changeCharges([sideOf('new', add)], instantOf(add.at)),
  ];
  const invoice = invoiceOf(currency, charges);
  const [credit, charge] = invoice.lines;
  return { credit: credit!.amount, charge: charge!.amount, net: netOf(invoice) };
}

interface SplitCase {
  currency: string;
  old_price: string;
  new_price: string;
  at: string;
  period: GoldenPeriod;
}

export function prorate_split({ currency, old_price, new_price, at, ...given }: SplitCase) {
  const period = periodOf(given.period);
  const change = instantOf(at);
  const charges = [
    { price: feeOf('old', old_price, currency), service: { start: period.start, end: change }, period },
    { price: feeOf('new', new_price, currency), service: { start: change, end: period.end }, period },
  ];
  const { lines, total } = invoiceOf(currency, charges);
  return { old_part: lines[0]!.amount, new_part: lines[1]!.amount, total };
}

interface SegmentsCase {
  currency: string;
  cadence: RecurringCadence;
  anchor: string;
  timezone?: string;
  start: string;
  end: string;
  full_price: string;
}

export function segments({ currency, cadence, full_price, timezone = 'UTC', ...given }: SegmentsCase) {
  const life: Period = periodOf(given);
  const cut = divideAtPeriodBoundaries({ anchor: instantOf(given.anchor), timezone }, cadence, life);
  const price = feeOf('price', full_price, currency);
  const { lines } = invoiceOf(
    currency,
    cut.map((segment) => ({ price, ...segment })),
  );
  const shares = cut.map(({ service, period }) => shareOf(new Decimal(1), service, period));
  return {
    periods_billed: sumOf(shares).toFixed(6),
    segments: lines.map(({ amount, periodStart, periodEnd }) => ({
      start: textOf(periodStart),
      end: textOf(periodEnd),
      amount,
    })),
  };
}

interface CommitmentCase {
  currency: string;
  minimum: string;
  fees: string[];
  /** What a coupon takes off the invoice. */
  coupon_discount?: string;
  /** Of how many days of its period the commitment is; a whole period if left out. */
  days?: number;
  of_days?: number;
  service?: GoldenPeriod;
  period?: GoldenPeriod;
}

/** The invoice at the end of what was served, with the fees as what a whole stretch of it costs. */
export function commitment({ currency, minimum, fees, days = 1, of_days = 1, ...given }: CommitmentCase) {
  const period = given.period ? periodOf(given.period) : daysFromNewYear(of_days);
  const service = given.service ? periodOf(given.service) : given.period ? period : daysFromNewYear(days);
  const { coupon_discount: discount } = given;
  const plan = { planId: 'plan', planVersion: 1, planName: 'Plan' };
  const { lines } = computeInvoice({
    invoiceId: 'invoice',
    currency,
    charges: fees.map((fee, i) => ({
      price: { ...feeOf(`fee ${i}`, fee, currency), timing: 'in_arrears' },
      service,
      period: service,
    })),
    commitment: { parts: [{ ...plan, minimum, ...service }], service, period, counted: [] },
    coupons:
      discount === undefined
        ? []
        : [{ couponId: 'coupon', discount: { type: 'fixed', amount: discount, currency } }],
  });
  const trueUp = lines.filter(({ type }) => type === 'minimum').map(({ amount }) => amount);
  return { true_up: moneyString(sumOf(trueUp), currency) };
}

function daysFromNewYear(days: number): Period {
  const start = '2024-01-01T00:00:00.000Z';
  return { start, end: new Date(Date.parse(start) + days * 86_400_000).toISOString() };
}

interface UnusedCase {
  currency: string;
  full_price: string;
  period: GoldenPeriod;
  service_end: string;
  already_credited?: string;
}

/** A cancellation: everything that is prepaid is removed, and nothing added. */
export function unused({ currency, full_price, already_credited = '0', ...given }: UnusedCase) {
  const left = leftOf(full_price, already_credited);
  const fee = { price: feeOf('price', full_price, currency), period: periodOf(given.period), left };
  const { excess } = invoiceOf(currency, changeCharges([fee], instantOf(given.service_end)));
  return { credit: excess };
}
