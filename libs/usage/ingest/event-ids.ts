import { newId } from '#libs/kernel/system';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PAIRS = Array.from({ length: 1024 }, (_, n) => CROCKFORD[n >> 5]! + CROCKFORD[n & 31]!);
const PER_BASE = 1024 * 1024;

/**
 * `count` new event ids in ascending order, for events that are stored together. Each is a ULID; they share its
 * time and 60 of its random bits and count in the last 20, since drawing 80 random bits for each takes longer than
 * everything else that is done for an event.
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
