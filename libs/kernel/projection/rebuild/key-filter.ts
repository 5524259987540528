const BITS = 2 ** 27;
/** A block has 512 bits, which is one cache line. The position of a bit in its block has 9 bits. */
const BLOCK_WORDS = 16;
const POSITION_BITS = 9;

/**
 * A Bloom filter of the keys in a table, which takes at most 16 MB for any number of keys. `mayHave` returns true for every key that was
 * added. With 500,000 keys, `mayHave` is wrongly true for one key in three million; with 10 million keys, for one in two hundred. With
 * this filter, a table that is being filled is rarely queried for rows that it does not have. A key has four bits, which are all in one
 * block (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007). So a key needs one access to memory.
 */
export class KeyFilter {
  /** With few keys, the filter takes less than its full size, because the operating system allocates only memory pages that are written. */
  private readonly bits = new Uint32Array(BITS / 32);

  add(key: string): void {
    const [one, other] = hashesOf(key);
    const block = blockOf(one);
    const { bits } = this;
    for (const position of [one, other, other >>> POSITION_BITS, other >>> (2 * POSITION_BITS)])
      bits[block + ((position >>> 5) & (BLOCK_WORDS - 1))]! |= 1 << (position & 31);
  }

  mayHave(key: string): boolean {
    const [one, other] = hashesOf(key);
    const block = blockOf(one);
    const { bits } = this;
    for (const position of [one, other, other >>> POSITION_BITS, other >>> (2 * POSITION_BITS)])
      if ((bits[block + ((position >>> 5) & (BLOCK_WORDS - 1))]! & (1 << (position & 31))) === 0)
        return false;
    return true;
  }
}

/** Returns the index of the first word of a key's block. The low bits of the hash are the position of a bit in the block. */
function blockOf(hash: number): number {
  return ((hash >>> POSITION_BITS) % (BITS / 32 / BLOCK_WORDS)) * BLOCK_WORDS;
}

/** Two hashes of a key. Both hashes are FNV-1a over the code units of the key, with two different primes. */
function hashesOf(key: string): [one: number, other: number] {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return [mixed(one), mixed(other)];
}

/** MurmurHash3's finalizer mixes the bits of a hash, which is needed because only the low bits are used. */
function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
