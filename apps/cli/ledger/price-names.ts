import type { RecordedEvent } from '#libs/kernel/domain';
import { CHART_OF_ACCOUNTS, type AccountKey } from '#libs/contexts/ledger';

/** The latest names of prices, collected from the events, so that names can be shown instead of ids. */
export class PriceNames {
  private readonly names = new Map<string, string>();
  /** The number of prices that share a name, by that name. */
  private readonly priceCountByName = new Map<string, number>();

  observe({ type, data }: RecordedEvent): void {
    if (type !== 'PriceCreated' && type !== 'PriceUpdated') return;
    const { priceId, name } = data as { priceId: string; name?: string };
    if (name === undefined) return;
    const before = this.names.get(priceId);
    if (before !== undefined) this.priceCountByName.set(before, this.priceCountOf(before) - 1);
    this.names.set(priceId, name);
    this.priceCountByName.set(name, this.priceCountOf(name) + 1);
  }

  /** Returns the price's latest name; undefined if no event has named it. */
  nameOf(priceId: string): string | undefined {
    return this.names.get(priceId);
  }

  /** Returns the account's name. If the account is kept by price, the price's name and id follow. */
  accountName({ account, priceId }: AccountKey): string {
    const { name } = CHART_OF_ACCOUNTS[account];
    if (priceId === null) return name;
    const price = this.names.get(priceId);
    return `${name}: ${price === undefined ? priceId : `${price} (${priceId})`}`;
  }

  /** Returns the account's name with the price's name, and with the price's id only if several prices share the name. */
  shortAccountName(key: AccountKey): string {
    const price = key.priceId === null ? undefined : this.names.get(key.priceId);
    if (price === undefined || this.priceCountOf(price) > 1) return this.accountName(key);
    return `${CHART_OF_ACCOUNTS[key.account].name}: ${price}`;
  }

  private priceCountOf(name: string): number {
    return this.priceCountByName.get(name) ?? 0;
  }
}
