import type { BalanceEvent } from './events.js';
import { WITHOUT_EFFECT, type PostingRules } from '#libs/contexts/ledger';

/**
 * Credits to a balance, and payments from it, are posted with the invoice or credit note that they belong to. A draft is no claim yet, so
 * what it takes of the balance is not posted before it is opened.
 */
export const postings: PostingRules<BalanceEvent> = {
  BalanceCredited: WITHOUT_EFFECT,
  BalanceApplied: WITHOUT_EFFECT,
  BalanceReturned: WITHOUT_EFFECT,
  BalanceDebited: WITHOUT_EFFECT,
};
