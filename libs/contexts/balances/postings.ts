import type { BalanceEvent } from './events.js';
import { WITHOUT_EFFECT, type PostingRules } from '#libs/contexts/ledger';

/**
 * What a customer's balance is credited with, and pays, comes to the books with the invoice or the credit note that says so: a
 * draft that is to be paid from it is no claim yet, and what a draft did not use was never taken from it there.
 */
export const postings: PostingRules<BalanceEvent> = {
  BalanceCredited: WITHOUT_EFFECT,
  BalanceApplied: WITHOUT_EFFECT,
  BalanceReturned: WITHOUT_EFFECT,
  BalanceDebited: WITHOUT_EFFECT,
};
