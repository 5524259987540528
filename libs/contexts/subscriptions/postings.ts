import type { SubscriptionEvent } from './events.js';
import { WITHOUT_EFFECT, type PostingRules } from '#libs/contexts/ledger';

/**
 * What a subscription decides comes to the books with the invoice that follows from it. Its end changes nothing that was billed. An invoice
 * or a credit note gives back the unused part of a fee, or nothing does.
 */
export const postings: PostingRules<SubscriptionEvent> = {
  SubscriptionCreated: WITHOUT_EFFECT,
  SubscriptionStarted: WITHOUT_EFFECT,
  SubscriptionTrialEnded: WITHOUT_EFFECT,
  SubscriptionRenewed: WITHOUT_EFFECT,
  SubscriptionUsageBilled: WITHOUT_EFFECT,
  SubscriptionPauseScheduled: WITHOUT_EFFECT,
  SubscriptionPauseWithdrawn: WITHOUT_EFFECT,
  SubscriptionPaused: WITHOUT_EFFECT,
  SubscriptionResumptionScheduled: WITHOUT_EFFECT,
  SubscriptionResumed: WITHOUT_EFFECT,
  SubscriptionAmendmentScheduled: WITHOUT_EFFECT,
  SubscriptionAmendmentCanceled: WITHOUT_EFFECT,
  SubscriptionAmendmentSkipped: WITHOUT_EFFECT,
  SubscriptionAmendmentFailed: WITHOUT_EFFECT,
  SubscriptionAmended: WITHOUT_EFFECT,
  SubscriptionPaymentFailed: WITHOUT_EFFECT,
  SubscriptionPaymentSettled: WITHOUT_EFFECT,
  SubscriptionInvoiceVoided: WITHOUT_EFFECT,
  SubscriptionCancellationScheduled: WITHOUT_EFFECT,
  SubscriptionCancellationWithdrawn: WITHOUT_EFFECT,
  SubscriptionCanceled: WITHOUT_EFFECT,
};
