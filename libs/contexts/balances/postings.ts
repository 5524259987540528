import type { BalanceEvent } from './events.js';
import { creditPosting, debitPosting, NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';

/**
 * The ledger posts changes of a balance with the events of the invoice or credit note that caused them. A draft is not owed yet. So the
 * amount that a draft uses from the balance is posted only when the draft is opened. A manual adjustment of a balance has no invoice, so
 * these rules post it. If money moved, the adjustment is posted to cash, otherwise to credit adjustments.
 */
export const postings: PostingRules<BalanceEvent> = {
  BalanceCredited: NO_POSTINGS,
  BalanceApplied: NO_POSTINGS,
  BalanceDebtApplied: NO_POSTINGS,
  BalanceDebtReturned: NO_POSTINGS,
  BalanceReturned: NO_POSTINGS,
  BalanceDebited: NO_POSTINGS,
  BalanceWithdrawn: NO_POSTINGS,
  BalanceWithdrawalReturned: NO_POSTINGS,
  BalanceExcessRemoved: NO_POSTINGS,
  BalanceTakenBack: NO_POSTINGS,
  BalanceAdjusted: ({ data: { amount, change, method, timezone } }) => {
    const other = method === undefined ? 'credit_adjustments' : 'cash';
    const isGiven = change === 'given';
    return {
      book: undefined,
      now: {
        timezone,
        description: isGiven ? 'Customer balance given' : 'Customer balance taken',
        postings: isGiven
          ? [debitPosting(other, amount), creditPosting('customer_credit', amount)]
          : [debitPosting('customer_credit', amount), creditPosting(other, amount)],
      },
    };
  },
};
