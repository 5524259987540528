import { sumOf, type Decimal } from '#libs/kernel/core';
import {
  isSameRateSet,
  ratesOfLine,
  mergeTaxBases,
  taxesOnBases,
  type AppliedTax,
  type InvoiceLine,
  type TaxBase,
} from '#libs/rating';
import { splitProportionally } from '#libs/contexts/ledger';

/**
 * The amount of inclusive tax in each line. The tax of lines with the same rates is split in proportion to their amounts, and the shares
 * sum exactly to the tax. `charged` is the amount of each line after coupons.
 */
export function inclusiveTaxesByLine(
  lines: readonly InvoiceLine[],
  charged: readonly Decimal[],
  taxes: readonly AppliedTax[],
  currency: string,
): Decimal[] {
  if (lines.every(({ taxRateIds }) => taxRateIds === undefined)) {
    const contained = sumOf(taxes.filter(({ inclusive }) => inclusive).map(({ amount }) => amount));
    return splitProportionally(contained, charged, currency);
  }
  const all = lines.map((line, i) => ({ amount: charged[i]!, rates: ratesOfLine(taxes, line) }));
  const shares = new Map<TaxBase, Decimal>();
  for (const base of taxesOnBases(mergeTaxBases(all), currency).bases) {
    const same = all.filter((one) => isSameRateSet(idsOf(one), idsOf(base)));
    const amounts = same.map(({ amount }) => amount);
    const parts = splitProportionally(base.contained, amounts, currency);
    same.forEach((one, i) => shares.set(one, parts[i]!));
  }
  return all.map((one) => shares.get(one)!);
}

function idsOf({ rates }: TaxBase): string[] {
  return rates.map(({ taxRateId }) => taxRateId);
}
