import { createHash } from 'node:crypto';

/**
 * Chance that comes out the same for the same seed and name, whatever else draws from other names meanwhile: each part
 * of a run has its own, since what runs at once never draws in the same order twice.
 */
export class Random {
  private readonly seed: string;
  private state: number;

  constructor(seed: string) {
    this.seed = seed;
    this.state = createHash('sha256').update(seed).digest().readUInt32BE();
  }

  /** The chance of a part of what this one is for. */
  of(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** A number from 0 up to, but not including, 1: Mulberry32, whose 2^32 numbers are plenty here. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True once in `1 / probability` times. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('There is nothing to pick from');
    return items[this.int(0, items.length - 1)]!;
  }

  /** The items in another order. */
  shuffled<T>(items: readonly T[]): T[] {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    return order;
  }
}
