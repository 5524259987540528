import type { BalanceEvent } from './events.js';
import { NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';

/**
 * The ledger posts changes of a balance with the events of the invoice or credit note that caused them. A draft is not owed yet. So the
 * amount that it uses from the balance is posted only when the draft is opened.
 */
export const postings: PostingRules<BalanceEvent> = {
  BalanceCredited: NO_POSTINGS,
  BalanceApplied: NO_POSTINGS,
  BalanceReturned: NO_POSTINGS,
  BalanceDebited: NO_POSTINGS,
};
