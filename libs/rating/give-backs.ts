import { Decimal, deriveId, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { GivenBackLine, InvoiceLine } from './invoice-line.js';
import type { TaxRate } from './taxes.js';

/** A line of an earlier invoice that another line gives back. */
export interface SourceLine {
  readonly invoiceId: string;
  readonly lineId: string;
  /** The part of the line that can still be given back. It is positive, after coupons and without added taxes. */
  readonly left: DecimalString;
  /** The tax rates of the line. Absent if they are not known yet, because the line's invoice is still being created. */
  readonly taxRates?: readonly TaxRate[];
}

/** The amount that a line gives back, and the lines that it is taken from. */
export interface GivenBackAmount {
  /** A positive amount, which is at most the negated amount of the line. */
  readonly amount: Decimal;
  /**
   * The lines to give back, in this order. Some old invoices did not record them all. In that case the remaining amount refers to no line.
   */
  readonly sources: readonly SourceLine[];
  readonly currency: string;
  /** The rates of a line without rates of its own. Absent if these rates are not known. */
  readonly ownRateIds?: readonly string[];
}

/** A part of a line that has one set of tax rates. */
interface LinePart {
  readonly taxRateIds: readonly string[] | undefined;
  readonly amount: Decimal;
  readonly givesBack: readonly GivenBackLine[];
}

/**
 * Divides a line that gives back into lines that name the lines they give back. Each source is used up before the next one. The tax is
 * given back at the rates that were paid. If the sources have different tax rates, there is one line for each set of rates. There are also
 * several lines if the line reduces more than its sources. The first of them keeps the id and the quantity.
 */
export function linesGivingBack(line: InvoiceLine, back: GivenBackAmount): InvoiceLine[] {
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

/** Divides the line by the tax rates of its sources. The first part has the line's own rates. It only deducts earlier charges. */
function partsOf(line: InvoiceLine, { amount, sources, currency, ownRateIds }: GivenBackAmount): LinePart[] {
  const taken = spread(amount, sources);
  const named = sumOf(taken.map((one) => one.amount));
  const rest = new Decimal(line.amount).plus(named);
  const ratesOf = ({ taxRates }: SourceLine) =>
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

/** Distributes an amount over lines, one after the other. Each line gets at most its remaining amount. */
function spread(
  amount: Decimal,
  sources: readonly SourceLine[],
): { readonly source: SourceLine; readonly amount: Decimal }[] {
  let rest = amount;
  return sources.flatMap((source) => {
    const part = Decimal.min(rest, source.left);
    rest = rest.minus(part);
    return part.gt(0) ? [{ source, amount: part }] : [];
  });
}
