import { LRUCache } from 'lru-cache';
import { elapsedSeconds } from '#libs/kernel/system';

/** How many credentials that were good are remembered, and for how many milliseconds after they were used. */
const GOOD = { max: 20_000, ttl: 600_000 };

/** Counts, second by second, the credentials that were refused of each address. */
export class RefusedCredentials {
  private readonly good = new LRUCache<string, true>(GOOD);
  private readonly counts = new Map<string, number>();
  private second = 0;

  constructor(private readonly perSecond: number) {}

  /** Whether the address has had its share in this second, and the credential is not known to have been good. */
  isOver(address: string, credential: string): boolean {
    this.turn();
    return (this.counts.get(address) ?? 0) >= this.perSecond && !this.good.has(credential);
  }

  noteGood(credential: string): void {
    this.good.set(credential, true);
  }

  note(address: string, credential: string): void {
    this.turn();
    this.good.delete(credential);
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
  }

  private turn(): void {
    const second = Math.floor(elapsedSeconds());
    if (second === this.second) return;
    this.second = second;
    this.counts.clear();
  }
}
