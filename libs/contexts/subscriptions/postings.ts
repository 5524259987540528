import type { SubscriptionEvent } from './events.js';
import type { ExternalIdEvent } from './external-ids/external-id.js';
import { NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';

/**
 * The events of a subscription are not posted to the ledger. The invoice that is created from an event is posted to the ledger. The end of
 * a subscription does not change billed amounts. Only an invoice or a credit note gives back the unused part of a fee.
 */
export const postings: PostingRules<SubscriptionEvent | ExternalIdEvent> = {
  SubscriptionCreated: NO_POSTINGS,
  SubscriptionStarted: NO_POSTINGS,
  SubscriptionTrialEnded: NO_POSTINGS,
  SubscriptionRenewed: NO_POSTINGS,
  SubscriptionLicensesCounted: NO_POSTINGS,
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
  SubscriptionDetailsChanged: NO_POSTINGS,
  SubscriptionCanceled: NO_POSTINGS,
  SubscriptionExternalIdTaken: NO_POSTINGS,
  SubscriptionExternalIdReleased: NO_POSTINGS,
};
