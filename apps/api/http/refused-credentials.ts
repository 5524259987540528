import { elapsedSeconds } from '#libs/kernel/system';
import { ExpiringSet } from './expiring-set.js';

/** How many credentials that were good are remembered, and for how long after they were used. */
const GOOD = { limit: 20_000, seconds: 600 };

/** Counts, second by second, the credentials that were refused of each address. */
export class RefusedCredentials {
  private readonly good = new ExpiringSet(GOOD.limit, GOOD.seconds);
  private readonly counts = new Map<string, number>();
  private second = 0;

  constructor(private readonly perSecond: number) {}

  /** Whether the address has had its share in this second, and the credential is not known to have been good. */
  isOver(address: string, credential: string): boolean {
    this.turn();
    return (this.counts.get(address) ?? 0) >= this.perSecond && !this.good.has(credential);
  }

  noteGood(credential: string): void {
    this.good.add(credential);
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
