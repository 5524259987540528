import { changedFields, type ProposedAction } from '#libs/contexts/approvals';
import { canLowerPrice } from '#libs/rating';
import type { PriceDetails } from './events.js';
import { currentPriceVersion, type Price } from './price.js';

/** The data of a lower price in its approval request. */
export interface HeldPriceChange {
  readonly priceId: string;
  readonly changes: Partial<PriceDetails>;
}

/**
 * Describes a change of a price for its approval request. Undefined if nothing can become cheaper by the change. `before` and `after` are
 * the price without and with the change.
 */
export function proposedPriceLowering(
  before: Price,
  after: Price,
  data: HeldPriceChange,
): ProposedAction | undefined {
  const [old, changed] = [currentPriceVersion(before), currentPriceVersion(after)];
  if (!canLowerPrice(old, changed)) return undefined;
  const shown = (version: PriceDetails) => ({
    config: JSON.stringify(version.config),
    cadence: version.cadence,
    timing: version.timing,
    metricId: version.metricId,
  });
  const [was, becomes] = [shown(old), shown(changed)];
  return {
    customerId: null,
    resource: { type: 'price', id: data.priceId },
    amount: null,
    currency: changed.config.currency,
    reason: null,
    effectiveAt: null,
    lines: [],
    terms: [
      { name: 'present version', value: String(old.version), isNumber: true },
      ...Object.entries(becomes).map(([name, value]) => ({ name, value })),
    ],
    changes: changedFields(was, becomes),
    command: { kind: 'update-price', data },
  };
}
