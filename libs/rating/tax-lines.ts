import { Decimal } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';
import {
  isSameRateSet,
  taxBases,
  taxesOnBases,
  type TaxBase,
  type AmountWithTaxes,
  type TaxRate,
} from './taxes.js';

/** Lines with their taxes. */
export interface TaxedLines extends AmountWithTaxes {
  readonly lines: InvoiceLine[];
  /** The invoice's own rates. They are set only if lines have different rates. If absent, they are all of `taxes`. */
  readonly taxRateIds?: readonly string[];
}

/**
 * The taxes on lines after discounts. A line has the rates that it names, or else the invoice's `own` rates. If all lines have the
 * invoice's own rates, no line names rates. Otherwise each line names its rates. `known` are the other rates that lines name. Throws
 * RangeError if one is missing.
 */
export function taxesOnLines(
  lines: readonly InvoiceLine[],
  own: readonly TaxRate[],
  known: readonly TaxRate[],
  currency: string,
): TaxedLines {
  const rates = new Map([...known, ...own].map((rate) => [rate.taxRateId, rate]));
  const ownIds = own.map(({ taxRateId }) => taxRateId);
  const idsOf = ({ taxRateIds = ownIds }: InvoiceLine) => taxRateIds;
  if (lines.every((line) => isSameRateSet(idsOf(line), ownIds))) {
    const amount = lines.reduce((sum, line) => sum.plus(netOf(line)), new Decimal(0));
    const { taxes, added } = taxesOnBases([{ amount, rates: own }], currency);
    return { lines: lines.map(({ taxRateIds: _, ...line }) => line), taxes, added };
  }
  const named = lines.map((line) => ({ ...line, taxRateIds: [...idsOf(line)] }));
  const { taxes, added } = taxesOnBases(taxBases(named.map((line) => baseOf(line, rates))), currency);
  return { lines: named, taxes, added, taxRateIds: ownIds };
}

function baseOf(line: InvoiceLine, known: ReadonlyMap<string, TaxRate>): TaxBase {
  const rates = (line.taxRateIds ?? []).map((taxRateId) => {
    const rate = known.get(taxRateId);
    if (!rate) throw new RangeError(`Line ${line.id} names the tax rate ${taxRateId}, which is missing`);
    return rate;
  });
  return { amount: netOf(line), rates };
}

function netOf({ amount, discount = '0' }: InvoiceLine): Decimal {
  return new Decimal(amount).minus(discount);
}
