import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion } from './apportion.js';
import {
  creditedAmountsOf,
  type CreditableInvoice,
  type InvoicedLine,
  type LineAmount,
  type LineNetAmount,
  type TaxAmount,
} from './credit-notes.js';
import {
  linesHaveDifferentTaxRates,
  divideOverTaxedLines,
  taxesGivenBackAtSeveralRates,
} from './credit-note-taxes.js';
import { computeTaxes, type AppliedTax } from './taxes.js';

/** The amounts that a credit note is requested for: the amounts of lines as printed, or one amount including taxes. */
export type RequestedCreditAmounts =
  { readonly lines: readonly LineAmount[] } | { readonly lines?: undefined; readonly amount: DecimalString };

/** The amounts of a credit note. Amounts have the currency's number of decimals. */
export interface CreditNoteAmounts {
  /** The credited amount of each line, before discounts and taxes. Empty if the note is for one amount. */
  readonly lines: readonly LineAmount[];
  /** The part of the coupons' discounts that belongs to the credited lines. It is not given back. */
  readonly discount: DecimalString;
  /** The amount of each tax that is given back. `taxable` is the amount given back without taxes. */
  readonly taxes: readonly AppliedTax[];
  /** The total amount given back: the lines less the discount, plus their added taxes. */
  readonly total: DecimalString;
  /**
   * The net amount that is given back for each line. The sum of these amounts is `total` less the added taxes. Each amount is above zero.
   */
  readonly allocations: readonly LineNetAmount[];
}

/**
 * Computes the amounts of a credit note for part of an invoice. A credit note for lines credits each of these lines, less its share of the
 * line's discount. A credit note for one amount is divided over all lines, in proportion to their remaining amounts. Each tax is computed
 * on the total given back including this note, less the tax given back before. The tax of the first note is therefore exactly the rounded
 * percentage of its amount. The tax of a later note can differ from the percentage by less than a minor unit. The last credit note of an
 * invoice gives back the whole remaining amount. If lines have different tax rates, each tax is computed only on the lines with its rate.
 * Throws RangeError for a line that the invoice does not have. `computeCreditNoteAmounts` does not check that the remaining amounts are
 * sufficient.
 */
export function computeCreditNoteAmounts(
  invoice: CreditableInvoice,
  request: RequestedCreditAmounts,
): CreditNoteAmounts {
  return request.lines === undefined
    ? overAmount(invoice, request.amount)
    : overLines(invoice, request.lines);
}

/**
 * The maximum amount of a further credit note, including taxes. A credit note of the maximum amount gives back everything that remains of
 * the lines.
 */
export function creditableInvoiceAmount(invoice: CreditableInvoice): DecimalString {
  const lefts = invoice.lines.map(({ id, left }) => ({ lineId: id, amount: left }));
  const taxes = taxesGivenBack(invoice, lefts);
  return moneyString(creditableTotal(invoice).plus(addedOf(taxes)), invoice.currency);
}

/**
 * The taxes that are given back together with `parts` of an invoice's lines. The taxes are those on the total given back so far and now,
 * less the taxes given back before. The taxes are never negative, and in total never exceed the charged taxes.
 */
export function taxesGivenBack(invoice: CreditableInvoice, parts: readonly LineNetAmount[]): AppliedTax[] {
  if (linesHaveDifferentTaxRates(invoice)) return taxesGivenBackAtSeveralRates(invoice, parts);
  const { taxes, currency, givenBack: back } = invoice;
  const net = sumOf(parts.map(({ amount }) => amount));
  const upTo = net.plus(back.net);
  const due = upTo.eq(wholeOf(invoice)) ? taxes : computeTaxes(upTo, taxes, currency).taxes;
  return withTaxable(
    remainingTaxes(invoice, due),
    (taken) => net.minus(sumOf(taken.filter(({ inclusive }) => inclusive).map(({ amount }) => amount))),
    currency,
  );
}

function overLines(invoice: CreditableInvoice, lines: readonly LineAmount[]): CreditNoteAmounts {
  const { currency } = invoice;
  const credited = lines.map(({ id, amount }) => {
    const line = invoice.lines.find((one) => one.id === id);
    if (!line) throw new RangeError(`The invoice has no line ${id}`);
    return { id, ...creditedAmountsOf(line, amount, currency) };
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

function overAmount(invoice: CreditableInvoice, amount: DecimalString): CreditNoteAmounts {
  const { currency } = invoice;
  const blank = { lines: [], discount: moneyString(new Decimal(0), currency) };
  const total = moneyString(new Decimal(amount), currency);
  if (linesHaveDifferentTaxRates(invoice)) {
    const { parts, taxes } = divideOverTaxedLines(invoice, new Decimal(amount));
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

/** Returns how much of `amount` is tax, for each tax of the invoice. `amount` is the total of a credit note, so it includes all taxes. */
function taxesWithin(invoice: CreditableInvoice, amount: Decimal): AppliedTax[] {
  const { taxes, currency, givenBack: back, total } = invoice;
  const isAdded = ({ taxRateId }: TaxAmount) =>
    taxes.some((tax) => tax.taxRateId === taxRateId && !tax.inclusive);
  const upTo = sumOf([back.net, ...back.taxes.filter(isAdded).map((tax) => tax.amount), amount]);
  const contained = taxes.map((tax) => ({ ...tax, inclusive: true }));
  const taken = remainingTaxes(
    invoice,
    upTo.eq(total) ? taxes : computeTaxes(upTo, contained, currency).taxes,
  );
  return limitTaxes(taken, amount, creditableTotal(invoice), currency);
}

/**
 * Adjusts `taxes` so that their sum does not exceed `amount`, which includes all of them. Each tax is rounded separately, so the sum of
 * several taxes can exceed the amount by one minor unit. If the taxes exceed the amount, later taxes are reduced first, and inclusive taxes
 * before added ones. The next credit note gives back the tax that is missing. `left` is the remaining amount of the lines. If the amount
 * less the added taxes exceeds `left`, the last added tax is raised by the excess.
 */
function limitTaxes(taxes: AppliedTax[], amount: Decimal, left: Decimal, currency: string): AppliedTax[] {
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

/** Returns the remaining part of each tax: the tax on everything given back, limited to the charged tax, less earlier give-backs. */
function remainingTaxes(invoice: CreditableInvoice, due: readonly TaxAmount[]): AppliedTax[] {
  const { taxes, currency, givenBack: back } = invoice;
  // A line that gives an amount back belongs to a charge of another invoice, so it does not reduce the taxes of the lines that charge.
  const charging = sumOf(invoice.lines.map(netOf).filter((net) => net.gt(0)));
  const most = computeTaxes(charging, taxes, currency).taxes;
  return taxes.map((tax, i) => {
    const before = sumOf(
      back.taxes.filter(({ taxRateId }) => taxRateId === tax.taxRateId).map(({ amount }) => amount),
    );
    const upTo = Decimal.min(due[i]!.amount, Decimal.max(tax.amount, most[i]!.amount));
    return { ...tax, amount: moneyString(Decimal.max(upTo.minus(before), 0), currency) };
  });
}

function netOf({ amount, discount }: InvoicedLine): Decimal {
  return new Decimal(amount).minus(discount);
}

function wholeOf({ lines }: CreditableInvoice): Decimal {
  return sumOf(lines.map(netOf));
}

function creditableTotal({ lines }: CreditableInvoice): Decimal {
  return sumOf(lines.map(({ left }) => left));
}

function allocated(parts: readonly LineNetAmount[]): LineNetAmount[] {
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
