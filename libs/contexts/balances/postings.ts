import type { BalanceEvent } from './events.js';
import { WITHOUT_EFFECT, type PostingRules } from '#libs/contexts/ledger';

/**
 * The ledger posts changes of a balance with the events of the invoice or credit note that caused them. A draft is not owed yet. So the
 * amount that it takes from the balance is posted only when the draft is opened.
 */
export const postings: PostingRules<BalanceEvent> = {
  BalanceCredited: WITHOUT_EFFECT,
  BalanceApplied: WITHOUT_EFFECT,
  BalanceReturned: WITHOUT_EFFECT,
  BalanceDebited: WITHOUT_EFFECT,
};
