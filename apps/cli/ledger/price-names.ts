import type { RecordedEvent } from '#libs/kernel/domain';
import { CHART, type AccountKey } from '#libs/contexts/ledger';

/** The names of prices, as their events tell; for people, who know no ids. */
export class PriceNames {
  private readonly names = new Map<string, string>();
  /** How many prices have a name. */
  private readonly bearers = new Map<string, number>();

  note({ type, data }: RecordedEvent): void {
    if (type !== 'PriceCreated' && type !== 'PriceUpdated') return;
    const { priceId, name } = data as { priceId: string; name?: string };
    if (name === undefined) return;
    const before = this.names.get(priceId);
    if (before !== undefined) this.bearers.set(before, this.bearersOf(before) - 1);
    this.names.set(priceId, name);
    this.bearers.set(name, this.bearersOf(name) + 1);
  }

  /** The price's latest name; undefined if the log has none. */
  nameOf(priceId: string): string | undefined {
    return this.names.get(priceId);
  }

  /** The account's name, with the price's and its id where it is kept by price. */
  accountName({ account, priceId }: AccountKey): string {
    const { name } = CHART[account];
    if (priceId === null) return name;
    const price = this.names.get(priceId);
    return `${name}: ${price === undefined ? priceId : `${price} (${priceId})`}`;
  }

  /** The same without the id where no other price has the name. */
  shortAccountName(key: AccountKey): string {
    const price = key.priceId === null ? undefined : this.names.get(key.priceId);
    if (price === undefined || this.bearersOf(price) > 1) return this.accountName(key);
    return `${CHART[key.account].name}: ${price}`;
  }

  private bearersOf(name: string): number {
    return this.bearers.get(name) ?? 0;
  }
}
