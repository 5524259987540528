import type { RecordedEvent } from '#libs/event-store';
import { CHART, type AccountKey } from '#libs/ledger';

/** The names of prices, as their events tell; for people, who know no ids. */
export class PriceNames {
  private readonly names = new Map<string, string>();

  note({ type, data }: RecordedEvent): void {
    if (type !== 'PriceCreated' && type !== 'PriceUpdated') return;
    const { priceId, name } = data as { priceId: string; name?: string };
    if (name !== undefined) this.names.set(priceId, name);
  }

  /** The price's latest name; undefined if the log has none. */
  nameOf(priceId: string): string | undefined {
    return this.names.get(priceId);
  }

  /** The account's name, with the price's where it is kept by price. */
  accountName({ account, priceId }: AccountKey): string {
    const { name } = CHART[account];
    if (priceId === null) return name;
    const price = this.names.get(priceId);
    return `${name}: ${price === undefined ? priceId : `${price} (${priceId})`}`;
  }
}
