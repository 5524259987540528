import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion } from './apportion.js';
import {
  creditedLine,
  type CreditableInvoice,
  type CreditableLine,
  type LineAmount,
  type LineNet,
  type TaxAmount,
} from './credit-notes.js';
import { hasSeveralRates, partsWithin, taxesOfParts } from './note-taxes.js';
import { taxesOn, type AppliedTax } from './taxes.js';

/** The request of a credit note: amounts of lines as printed on the invoice, or one amount with its taxes. */
export type CreditRequest =
  { readonly lines: readonly LineAmount[] } | { readonly lines?: undefined; readonly amount: DecimalString };

/** The amounts of a credit note. Money has the currency's digits. */
export interface NoteAmounts {
  /** Before discounts and taxes; none for a note over an amount. */
  readonly lines: readonly LineAmount[];
  /** The share of the coupons on the credited lines. It is not given back. */
  readonly discount: DecimalString;
  /** The amount that is taken back of each tax. `taxable` is the amount given back without taxes. */
  readonly taxes: readonly AppliedTax[];
  /** The amount given back: the lines less the discount, plus their added taxes. */
  readonly total: DecimalString;
  /** The shares of the lines. They sum to the total without the added taxes. Above zero each. */
  readonly allocations: readonly LineNet[];
}

/**
 * Computes the amounts of a credit note over part of an invoice. One over lines is of these, each less its share of the line's own
 * discount. A credit note over an amount is divided over all lines, in proportion to their rests. For each tax it takes back the tax on
 * everything given back including this note, less the tax taken back before. So the first note has the rate's share to the minor unit, and
 * each later one is off by less than a unit. The last note of an invoice takes back all that is left. If lines have different rates, it
 * takes back each tax in proportion to the lines that have its rate. RangeError for a line that the invoice does not have. It does not
 * check that so much is left.
 */
export function noteAmounts(invoice: CreditableInvoice, request: CreditRequest): NoteAmounts {
  return request.lines === undefined
    ? overAmount(invoice, request.amount)
    : overLines(invoice, request.lines);
}

/** The most that a further note can be over, with its taxes: what gives back all that is left of the lines. */
export function mostCreditable(invoice: CreditableInvoice): DecimalString {
  const lefts = invoice.lines.map(({ id, left }) => ({ lineId: id, amount: left }));
  const taxes = taxesGivenBack(invoice, lefts);
  return moneyString(leftOf(invoice).plus(addedOf(taxes)), invoice.currency);
}

/**
 * The taxes that are taken back when `parts` of an invoice's lines are given back: the taxes on all that was given back so far and now,
 * less those taken back before. Never less than nothing, and in all never more than was charged.
 */
export function taxesGivenBack(invoice: CreditableInvoice, parts: readonly LineNet[]): AppliedTax[] {
  if (hasSeveralRates(invoice)) return taxesOfParts(invoice, parts);
  const { taxes, currency, back } = invoice;
  const net = sumOf(parts.map(({ amount }) => amount));
  const upTo = net.plus(back.net);
  const due = upTo.eq(wholeOf(invoice)) ? taxes : taxesOn(upTo, taxes, currency).taxes;
  return withTaxable(
    taxesLess(invoice, due),
    (taken) => net.minus(sumOf(taken.filter(({ inclusive }) => inclusive).map(({ amount }) => amount))),
    currency,
  );
}

function overLines(invoice: CreditableInvoice, lines: readonly LineAmount[]): NoteAmounts {
  const { currency } = invoice;
  const credited = lines.map(({ id, amount }) => {
    const line = invoice.lines.find((one) => one.id === id);
    if (!line) throw new RangeError(`The invoice has no line ${id}`);
    return { id, ...creditedLine(line, amount, currency) };
  });
  const net = sumOf(credited.map((line) => line.net));
  const parts = credited.map((line) => ({ lineId: line.id, amount: line.net }));
  const taxes = taxesGivenBack(invoice, parts);
  return {
    lines: credited.map(({ id, amount }) => ({ id, amount })),
    discount: moneyString(sumOf(credited.map(({ discount }) => discount)), currency),
    taxes,
    total: moneyString(net.plus(addedOf(taxes)), currency),
    allocations: allocated(parts),
  };
}

function overAmount(invoice: CreditableInvoice, amount: DecimalString): NoteAmounts {
  const { currency } = invoice;
  const blank = { lines: [], discount: moneyString(new Decimal(0), currency) };
  const total = moneyString(new Decimal(amount), currency);
  if (hasSeveralRates(invoice)) {
    const { parts, taxes } = partsWithin(invoice, new Decimal(amount));
    return { ...blank, taxes, total, allocations: allocated(parts) };
  }
  const taxes = taxesWithin(invoice, new Decimal(amount));
  const net = new Decimal(amount).minus(addedOf(taxes));
  const lefts = invoice.lines.map(({ left }) => new Decimal(left));
  return {
    ...blank,
    taxes: withTaxable(
      taxes,
      (taken) => new Decimal(amount).minus(sumOf(taken.map((tax) => tax.amount))),
      currency,
    ),
    total,
    allocations: allocated(
      apportion(net, lefts, currency).map((part, i) => ({
        lineId: invoice.lines[i]!.id,
        amount: moneyString(part, currency),
      })),
    ),
  };
}

/** Returns the part of each tax in an amount that contains all taxes. */
function taxesWithin(invoice: CreditableInvoice, amount: Decimal): AppliedTax[] {
  const { taxes, currency, back, total } = invoice;
  const isAdded = ({ taxRateId }: TaxAmount) =>
    taxes.some((tax) => tax.taxRateId === taxRateId && !tax.inclusive);
  const upTo = sumOf([back.net, ...back.taxes.filter(isAdded).map((tax) => tax.amount), amount]);
  const contained = taxes.map((tax) => ({ ...tax, inclusive: true }));
  const taken = taxesLess(invoice, upTo.eq(total) ? taxes : taxesOn(upTo, contained, currency).taxes);
  return fittedTo(taken, amount, leftOf(invoice), currency);
}

/**
 * Taxes made to fit an amount that contains them all. Each is rounded by itself, so two that are rounded up can exceed the amount by a
 * unit. The later ones wait for the next note then, and contained taxes wait for added ones. A unit more than the lines have left is of the
 * last tax that is added.
 */
function fittedTo(taxes: AppliedTax[], amount: Decimal, left: Decimal, currency: string): AppliedTax[] {
  const over = amount.minus(addedOf(taxes)).minus(left);
  const added = taxes.filter(({ inclusive }) => !inclusive);
  const contained = taxes.filter(({ inclusive }) => inclusive);
  const fitting = new Map<AppliedTax, AppliedTax>();
  let room = amount;
  for (const tax of [...added, ...contained]) {
    const wanted = tax === added.at(-1) && over.gt(0) ? over.plus(tax.amount) : new Decimal(tax.amount);
    const taken = Decimal.min(wanted, room);
    fitting.set(tax, { ...tax, amount: moneyString(taken, currency) });
    room = room.minus(taken);
  }
  return taxes.map((tax) => fitting.get(tax)!);
}

/** Returns for each tax the tax due on everything given back, at most the charged tax, less the tax taken back before. */
function taxesLess(invoice: CreditableInvoice, due: readonly TaxAmount[]): AppliedTax[] {
  const { taxes, currency, back } = invoice;
  // Lines that give back were charged on other invoices. They do not reduce the taxes of the lines that charge.
  const charging = sumOf(invoice.lines.map(netOf).filter((net) => net.gt(0)));
  const most = taxesOn(charging, taxes, currency).taxes;
  return taxes.map((tax, i) => {
    const before = sumOf(
      back.taxes.filter(({ taxRateId }) => taxRateId === tax.taxRateId).map(({ amount }) => amount),
    );
    const upTo = Decimal.min(due[i]!.amount, Decimal.max(tax.amount, most[i]!.amount));
    return { ...tax, amount: moneyString(Decimal.max(upTo.minus(before), 0), currency) };
  });
}

function netOf({ amount, discount }: CreditableLine): Decimal {
  return new Decimal(amount).minus(discount);
}

function wholeOf({ lines }: CreditableInvoice): Decimal {
  return sumOf(lines.map(netOf));
}

function leftOf({ lines }: CreditableInvoice): Decimal {
  return sumOf(lines.map(({ left }) => left));
}

function allocated(parts: readonly LineNet[]): LineNet[] {
  return parts.filter(({ amount }) => !new Decimal(amount).isZero());
}

function addedOf(taxes: readonly AppliedTax[]): Decimal {
  return sumOf(taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount));
}

function withTaxable(
  taxes: readonly AppliedTax[],
  taxableOf: (taxes: readonly AppliedTax[]) => Decimal,
  currency: string,
): AppliedTax[] {
  const taxable = moneyString(taxableOf(taxes), currency);
  return taxes.map((tax) => ({ ...tax, taxable }));
}
