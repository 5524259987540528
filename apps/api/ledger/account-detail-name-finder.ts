import { Injectable } from '@nestjs/common';
import type { AccountKey } from '#libs/contexts/ledger';
import type { PriceAndTaxRateNames } from '#projections/ledger';
import { PriceQueries } from '#projections/prices';
import { TaxRateQueries } from '#projections/tax-rates';

/** Looks up the names of the prices and tax rates by which ledger accounts are divided. */
@Injectable()
export class AccountDetailNameFinder {
  constructor(
    private readonly prices: PriceQueries,
    private readonly taxRates: TaxRateQueries,
  ) {}

  /** Returns the present names of prices and tax rates, by id. The name of a tax rate includes its percentage, such as `VAT 19%`. */
  async namesOf(workspaceId: string, accounts: readonly AccountKey[]): Promise<PriceAndTaxRateNames> {
    const ids = [...new Set(accounts.flatMap(({ detail }) => detail ?? []))];
    if (ids.length === 0) return new Map();
    const [prices, taxRates] = await Promise.all([
      this.prices.findByIds(workspaceId, ids),
      this.taxRates.findByIds(workspaceId, ids),
    ]);
    return new Map([
      ...prices.map(({ priceId, versions }) => [priceId, versions.at(-1)!.name] as const),
      ...taxRates.map(({ taxRateId, name, percentage }) => [taxRateId, `${name} ${percentage}%`] as const),
    ]);
  }
}
