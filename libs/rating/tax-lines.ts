import { Decimal } from '#libs/kernel/core';
import type { InvoiceLine } from './invoice-line.js';
import {
  isSameRateSet,
  mergeTaxBases,
  taxesOnBases,
  type TaxBase,
  type TaxTotals,
  type TaxRate,
} from './taxes.js';

/** Lines with their taxes. */
export interface TaxedLines extends TaxTotals {
  readonly lines: InvoiceLine[];
  /**
   * The ids of the invoice's own tax rates. They are set only if the lines have different tax rates, and each line then names its rates. If
   * absent, all of `taxes` apply to all lines.
   */
  readonly taxRateIds?: readonly string[];
}

/**
 * Computes the taxes on lines after discounts. A line is taxed at the rates that it names, or else at the invoice's rates in `own`. If all
 * lines have the invoice's own rates, the lines do not name rates. If lines have different rates, each line names its rates. `known`
 * contains the other tax rates that lines name. Throws RangeError if a line names a tax rate that is not known.
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
  const { taxes, added } = taxesOnBases(mergeTaxBases(named.map((line) => baseOf(line, rates))), currency);
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
