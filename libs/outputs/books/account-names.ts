import type { RecordedEvent } from '#libs/kernel/domain';
import { CHART_OF_ACCOUNTS, type AccountKey } from '#libs/contexts/ledger';

/** The latest names of prices and tax rates, collected from the events, so that names can be shown instead of ids. */
export class AccountNames {
  private readonly names = new Map<string, string>();
  /** The number of prices and tax rates with each name. */
  private readonly countByName = new Map<string, number>();

  observe(event: RecordedEvent): void {
    const named = namedBy(event);
    if (named === undefined) return;
    const { id, name } = named;
    const before = this.names.get(id);
    if (before !== undefined) this.countByName.set(before, this.countOf(before) - 1);
    this.names.set(id, name);
    this.countByName.set(name, this.countOf(name) + 1);
  }

  /** Returns the latest name of the price or tax rate; undefined if no event has named it. */
  priceOrTaxRateName(id: string): string | undefined {
    return this.names.get(id);
  }

  /**
   * Returns the account's name. If the account is divided by price or tax rate, the name and the id of the price or tax rate are appended.
   */
  accountName({ account, detail }: AccountKey): string {
    const { name } = CHART_OF_ACCOUNTS[account];
    if (detail === null) return name;
    const known = this.names.get(detail);
    return `${name}: ${known === undefined ? detail : `${known} (${detail})`}`;
  }

  /**
   * Returns the account's name with the name of its price or tax rate. The id is appended only if several prices or tax rates share the
   * name.
   */
  shortAccountName(key: AccountKey): string {
    const known = key.detail === null ? undefined : this.names.get(key.detail);
    if (known === undefined || this.countOf(known) > 1) return this.accountName(key);
    return `${CHART_OF_ACCOUNTS[key.account].name}: ${known}`;
  }

  private countOf(name: string): number {
    return this.countByName.get(name) ?? 0;
  }
}

/** The price or tax rate that an event names; undefined if the event names neither. */
function namedBy({ type, data }: RecordedEvent): { id: string; name: string } | undefined {
  if (type === 'TaxRateCreated') {
    const { taxRateId, name, percentage } = data as { taxRateId: string; name: string; percentage: string };
    return { id: taxRateId, name: `${name} ${percentage}%` };
  }
  if (type !== 'PriceCreated' && type !== 'PriceUpdated') return undefined;
  const { priceId, name } = data as { priceId: string; name?: string };
  return name === undefined ? undefined : { id: priceId, name };
}
