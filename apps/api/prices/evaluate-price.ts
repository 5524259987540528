import { InvalidRequest, jsonNumbers } from '#libs/kernel/core';
import {
  needsEvents,
  presentTier,
  type EvaluatedPrice,
  type UsageToEvaluate,
  type PriceConfig,
} from '#libs/rating';
import type { EvaluatedPriceView, EvaluatePriceBody } from './evaluate-price.dto.js';

/**
 * Reads from a request the usage whose price is asked for. Throws InvalidRequest if a field is missing, or if the price config does not
 * allow a field.
 */
export function readUsageToEvaluate(
  { quantity, eventAmounts, group = {} }: EvaluatePriceBody,
  config: PriceConfig,
): UsageToEvaluate {
  if (eventAmounts !== undefined) {
    if (config.model !== 'percentage')
      throw InvalidRequest.field('eventAmounts', 'is only for the model percentage; send a quantity');
    if (quantity !== undefined)
      throw InvalidRequest.field('quantity', 'must be left out: it is the sum of the eventAmounts');
    return { eventAmounts, group };
  }
  if (needsEvents(config))
    throw InvalidRequest.field('eventAmounts', 'is required, since the price has terms for single events');
  if (quantity === undefined) throw InvalidRequest.field('quantity', 'is required: a number');
  return { quantity, group };
}

/** Returns an evaluated price in the form of the API response. */
export function presentEvaluatedPrice({ currency, tiers, ...decimals }: EvaluatedPrice): EvaluatedPriceView {
  return { currency, ...jsonNumbers(decimals), tiers: tiers.map(presentTier) };
}
