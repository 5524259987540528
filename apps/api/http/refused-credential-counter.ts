import { LRUCache } from 'lru-cache';
import { monotonicSeconds } from '#libs/kernel/system';

/** The largest number of valid credentials that are remembered, and the milliseconds until an unused credential is forgotten. */
const GOOD = { max: 20_000, ttl: 600_000 };

/** Counts the refused credentials of each IP address in the current second. */
export class RefusedCredentialCounter {
  private readonly good = new LRUCache<string, true>(GOOD);
  private readonly counts = new Map<string, number>();
  private second = 0;

  constructor(private readonly perSecond: number) {}

  /** Returns whether the IP address has reached its limit in this second and the credential was not valid before. */
  hasReachedLimit(address: string, credential: string): boolean {
    this.turn();
    return (this.counts.get(address) ?? 0) >= this.perSecond && !this.good.has(credential);
  }

  /** Remembers a credential that was valid, so that the limit of its IP address does not refuse it. */
  rememberValid(credential: string): void {
    this.good.set(credential, true);
  }

  /** Counts a refused credential for the IP address that sent it, and forgets that the credential was valid. */
  countRefused(address: string, credential: string): void {
    this.turn();
    this.good.delete(credential);
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
  }

  private turn(): void {
    const second = Math.floor(monotonicSeconds());
    if (second === this.second) return;
    this.second = second;
    this.counts.clear();
  }
}
