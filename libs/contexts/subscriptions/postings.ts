import type { SubscriptionEvent } from './events.js';
import { NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';

/**
 * What a subscription decides comes to the books with the invoice that follows from it. Its end changes nothing that was billed. An invoice
 * or a credit note gives back the unused part of a fee, or nothing does.
 */
export const postings: PostingRules<SubscriptionEvent> = {
  SubscriptionCreated: NO_POSTINGS,
  SubscriptionStarted: NO_POSTINGS,
  SubscriptionTrialEnded: NO_POSTINGS,
  SubscriptionRenewed: NO_POSTINGS,
  SubscriptionUsageBilled: NO_POSTINGS,
  SubscriptionPauseScheduled: NO_POSTINGS,
  SubscriptionPauseWithdrawn: NO_POSTINGS,
  SubscriptionPaused: NO_POSTINGS,
  SubscriptionResumptionScheduled: NO_POSTINGS,
  SubscriptionResumed: NO_POSTINGS,
  SubscriptionAmendmentScheduled: NO_POSTINGS,
  SubscriptionAmendmentCanceled: NO_POSTINGS,
  SubscriptionAmendmentSkipped: NO_POSTINGS,
  SubscriptionAmendmentFailed: NO_POSTINGS,
  SubscriptionAmended: NO_POSTINGS,
  SubscriptionPaymentFailed: NO_POSTINGS,
  SubscriptionPaymentSettled: NO_POSTINGS,
  SubscriptionInvoiceVoided: NO_POSTINGS,
  SubscriptionCancellationScheduled: NO_POSTINGS,
  SubscriptionCancellationWithdrawn: NO_POSTINGS,
  SubscriptionCanceled: NO_POSTINGS,
};
