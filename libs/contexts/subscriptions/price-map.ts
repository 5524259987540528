import { InvalidRequest, ownValue } from '#libs/kernel/core';

/**
 * Says which price takes the place of a price that ends with a change of terms, by price id. The units of the old price go to the new one.
 * Null: no price takes its place, and its units end.
 */
export type PriceMap = Readonly<Record<string, string | null>>;

const MAX_PRICES = 100;
const MAX_ID_LENGTH = 200;

/** The maximum number of entries of a price map. The API document quotes it. */
export const PRICE_MAP_LIMIT = MAX_PRICES;

/**
 * Reads `priceMap` from a parsed request body: an object like `{"<old price id>": "<new price id>"}`, where null stands for no new price.
 * Throws InvalidRequest if the value has another shape. Whether the prices fit is checked when the terms change.
 */
export function readPriceMap(input: unknown): PriceMap {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const entries = isObject ? Object.entries(input as Record<string, unknown>) : [];
  const isPriceId = (value: unknown) =>
    typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH;
  if (
    !isObject ||
    entries.length > MAX_PRICES ||
    !entries.every(([from, to]) => isPriceId(from) && (to === null || isPriceId(to)))
  )
    throw InvalidRequest.field(
      'priceMap',
      `must be an object of at most ${MAX_PRICES} prices like {"<id of the old price>": "<id of the new price>"}, with null for none`,
    );
  return Object.fromEntries(entries) as PriceMap;
}

/** Returns what a price map says about a price. Undefined if it says nothing. */
export function mappedPrice(priceMap: PriceMap, priceId: string): string | null | undefined {
  return ownValue(priceMap, priceId);
}
