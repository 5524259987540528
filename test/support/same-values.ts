import { isDeepStrictEqual } from 'node:util';

/** Whether two pieces of plain data hold the same values, whichever context of Jest each was made in. */
export function sameValues(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}
