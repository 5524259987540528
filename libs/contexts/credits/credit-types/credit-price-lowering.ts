import { changedFields, type ProposedAction } from '#libs/contexts/approvals';
import { Decimal } from '#libs/kernel/core';
import type { CreditType } from './credit-type.js';

/**
 * Describes a change of a credit type for its approval request. Undefined if neither the price of credits nor the price of overage falls.
 * Without an `overagePrice`, overage has the price of credits.
 *
 * @param data the change, as the held command needs it
 */
export function proposedCreditPriceLowering(
  before: CreditType,
  after: CreditType,
  data: object,
): ProposedAction | undefined {
  const pricesOf = ({ unitPrice, overagePrice }: CreditType) => ({
    unitPrice,
    overagePrice: overagePrice ?? unitPrice,
  });
  const [was, becomes] = [pricesOf(before), pricesOf(after)];
  const fields = Object.keys(was) as (keyof typeof was)[];
  if (!fields.some((field) => new Decimal(becomes[field]).lt(was[field]))) return undefined;
  return {
    customerId: null,
    resource: { type: 'credit_type', id: before.creditType },
    amount: null,
    currency: after.currency,
    reason: null,
    effectiveAt: null,
    lines: [],
    terms: [
      ...fields.map((name) => ({ name: `present ${name}`, value: was[name], isNumber: true as const })),
      ...fields.map((name) => ({ name, value: becomes[name], isNumber: true as const })),
    ],
    changes: changedFields(was, becomes).map((change) => ({ ...change, isNumber: true })),
    command: { kind: 'update-credit-type', data },
  };
}
