import { Decimal, deriveId, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { GivenBackLine, InvoiceLine } from './invoice-line.js';
import type { TaxRate } from './taxes.js';

/** A line of an earlier invoice from which a later line gives back an amount. */
export interface GiveBackSourceLine {
  readonly invoiceId: string;
  readonly lineId: string;
  /** The part of the line that can still be given back. The remaining part is positive, after coupons and without added taxes. */
  readonly left: DecimalString;
  /** The tax rates of the line. Absent if the tax rates are not known yet, because the invoice of the line is still being created. */
  readonly taxRates?: readonly TaxRate[];
}

/** The amount that a line gives back, and the earlier lines from which the amount is taken. */
export interface GivenBackAmount {
  /** The amount given back as a positive number, which is at most the negated amount of the line. */
  readonly amount: Decimal;
  /**
   * The earlier lines whose amounts are given back, in the order in which they are used up. Some old invoices did not record all the lines
   * whose amounts they give back. The part of `amount` that exceeds the amounts of the recorded lines is given back without a reference to
   * a line.
   */
  readonly sources: readonly GiveBackSourceLine[];
  readonly currency: string;
  /** The ids of the invoice's own tax rates, which apply to each line that names no tax rates. Absent if these ids are not known. */
  readonly ownRateIds?: readonly string[];
}

/** A part of an invoice line whose amount has one set of tax rates. */
interface LinePart {
  readonly taxRateIds: readonly string[] | undefined;
  readonly amount: Decimal;
  readonly givesBack: readonly GivenBackLine[];
}

/**
 * Divides a line that gives an amount back. Each resulting line names the earlier lines whose amounts it gives back. Each earlier line is
 * used up before the next one. Taxes are given back at the rates at which they were paid. If the earlier lines have different tax rates,
 * there is one line for each set of rates. The part of the amount that exceeds the earlier lines keeps the tax rates of the divided line.
 * The first of the resulting lines keeps the id and the quantity of the divided line. The others have the quantity zero.
 */
export function divideLineGivingBack(line: InvoiceLine, back: GivenBackAmount): InvoiceLine[] {
  const { amount, currency } = back;
  if (amount.lte(0)) return [line];
  return partsOf(line, back).map(({ taxRateIds, amount: part, givesBack }, i) => {
    const { taxRateIds: _, ...own } = line;
    return {
      ...own,
      ...(i === 0 ? {} : { id: deriveId('line', line.id, ...(taxRateIds ?? [])), quantity: '0' }),
      amount: moneyString(part, currency),
      ...(taxRateIds ? { taxRateIds: [...taxRateIds] } : {}),
      ...(givesBack.length > 0 ? { givesBack } : {}),
    };
  });
}

/**
 * Divides the line by the tax rates of the earlier lines whose amounts it gives back. If the amount exceeds the amounts of the earlier
 * lines, the excess is the first part and has the tax rates of the line itself. The excess names no earlier line.
 */
function partsOf(line: InvoiceLine, { amount, sources, currency, ownRateIds }: GivenBackAmount): LinePart[] {
  const taken = spread(amount, sources);
  const named = sumOf(taken.map((one) => one.amount));
  const rest = new Decimal(line.amount).plus(named);
  const ratesOf = ({ taxRates }: GiveBackSourceLine) =>
    taxRates ? taxRates.map(({ taxRateId }) => taxRateId) : line.taxRateIds;
  const keyOf = (ids: readonly string[] | undefined) => [...(ids ?? ownRateIds ?? ['own'])].sort().join();
  const pieces = [
    ...(rest.isZero() ? [] : [{ taxRateIds: line.taxRateIds, amount: rest.negated(), source: null }]),
    ...taken.map((one) => ({ ...one, taxRateIds: ratesOf(one.source) })),
  ];
  return [...Map.groupBy(pieces, ({ taxRateIds }) => keyOf(taxRateIds)).values()].map((ofRates) => ({
    taxRateIds: ofRates[0]!.taxRateIds,
    amount: sumOf(ofRates.map((one) => one.amount)).negated(),
    givesBack: ofRates.flatMap(({ source, amount: part }) =>
      source
        ? [{ invoiceId: source.invoiceId, lineId: source.lineId, amount: moneyString(part, currency) }]
        : [],
    ),
  }));
}

/** Distributes an amount over lines, one after the other. Each line gets at most the amount that remains on it. */
function spread(
  amount: Decimal,
  sources: readonly GiveBackSourceLine[],
): { readonly source: GiveBackSourceLine; readonly amount: Decimal }[] {
  let rest = amount;
  return sources.flatMap((source) => {
    const part = Decimal.min(rest, source.left);
    rest = rest.minus(part);
    return part.gt(0) ? [{ source, amount: part }] : [];
  });
}
