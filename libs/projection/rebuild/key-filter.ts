const BITS = 2 ** 25;

/**
 * Remembers which keys a table may have, in 4 MB however many they are: that it may have a key that was never added is
 * said as often as (added keys / 33 million), and never the other way round. So a table that is filled from nothing is
 * hardly ever asked for rows that cannot be there.
 */
export class KeyFilter {
  /** Pages that are never written to take no memory. */
  private readonly bits = new Uint8Array(BITS / 8);

  add(key: string): void {
    const bit = hash(key) % BITS;
    this.bits[bit >>> 3]! |= 1 << (bit & 7);
  }

  mayHave(key: string): boolean {
    const bit = hash(key) % BITS;
    return (this.bits[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }
}

/** FNV-1a over the code units, with MurmurHash3's finalizer, since the low bits are what is used. */
function hash(key: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
