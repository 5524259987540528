import { InvalidRequest, jsonNumbers } from '#libs/kernel/core';
import {
  needsEvents,
  presentTier,
  type EvaluatedPrice,
  type EvaluatedUsage,
  type PriceConfig,
} from '#libs/rating';
import type { EvaluatePriceBody } from './evaluate-price.dto.js';

/** Reads the usage to price. Throws InvalidRequest that names a missing field, or a field that this config does not allow. */
export function readEvaluatedUsage(
  { quantity, eventAmounts, group = {} }: EvaluatePriceBody,
  config: PriceConfig,
): EvaluatedUsage {
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

/** An evaluated price as the API shows it. */
export function presentEvaluatedPrice({ currency, tiers, ...decimals }: EvaluatedPrice) {
  return { currency, ...jsonNumbers(decimals), tiers: tiers.map(presentTier) };
}
