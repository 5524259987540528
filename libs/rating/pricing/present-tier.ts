import { jsonNumber, jsonNumbers } from '#libs/kernel/core';
import type { RatedTier } from './model.js';

/** Converts a tier of a line or of an evaluated price to its form in a response, with decimals as exact JSON numbers. */
export function presentTier({ upTo, free, events, ...decimals }: RatedTier) {
  return {
    upTo: upTo === null ? null : jsonNumber(upTo),
    ...(free === undefined ? {} : { free }),
    ...(events === undefined ? {} : { events }),
    ...jsonNumbers(decimals),
  };
}
