const BITS = 2 ** 27;
const PROBES = 4;

/**
 * A Bloom filter of the keys in a table, which takes at most 16 MB for any number of keys. `mayHave` returns true for every key that was
 * added. With 500,000 keys, `mayHave` is wrongly true for one key in twenty million; with 10 million keys, for one in three hundred. With
 * this filter, a table that is being filled is rarely queried for rows that it does not have.
 */
export class KeyFilter {
  /** With few keys, the filter takes less than its full size, because the operating system allocates only memory pages that are written. */
  private readonly bits = new Uint32Array(BITS / 32);

  add(key: string): void {
    const { start, step } = hashesOf(key);
    for (let probe = 0, bit = start; probe < PROBES; probe++, bit += step)
      this.bits[(bit % BITS) >>> 5]! |= 1 << (bit & 31);
  }

  mayHave(key: string): boolean {
    const { start, step } = hashesOf(key);
    for (let probe = 0, bit = start; probe < PROBES; probe++, bit += step)
      if ((this.bits[(bit % BITS) >>> 5]! & (1 << (bit & 31))) === 0) return false;
    return true;
  }
}

/**
 * Two hashes of a key, from which all bit positions are computed (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006). Both
 * hashes are FNV-1a over the code units of the key, with two different primes.
 */
function hashesOf(key: string): { start: number; step: number } {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return { start: mixed(one), step: (mixed(other) | 1) >>> 0 };
}

/** MurmurHash3's finalizer mixes the bits of a hash, which is needed because only the low bits are used. */
function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
