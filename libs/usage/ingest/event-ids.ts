import { newId } from '#libs/kernel/system';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PAIRS = Array.from({ length: 1024 }, (_, n) => CROCKFORD[n >> 5]! + CROCKFORD[n & 31]!);
const PER_BASE = 1024 * 1024;

/**
 * Returns `count` new event ids in ascending order, for events that are stored together. Each id is a ULID. Ids of the same call share the
 * time and 60 random bits, and their last 20 bits are consecutive numbers. Drawing 80 random bits for each event would take longer than all
 * other work for the event.
 */
export function newEventIds(count: number): string[] {
  const ids: string[] = new Array<string>(count);
  let base = '';
  for (let i = 0; i < count; i++) {
    const n = i % PER_BASE;
    if (n === 0) base = newId('use').slice(0, -4);
    ids[i] = base + PAIRS[n >> 10]! + PAIRS[n & 1023]!;
  }
  return ids;
}
