import { presentUpcoming, type AmendmentResult } from '#libs/contexts/billing';
import {
  presentAmendment,
  presentPreviewedAmendment,
  presentSubscription,
} from '#libs/contexts/subscriptions';

/** The response for a change of terms. */
export function presentAmendmentResult(result: AmendmentResult) {
  return { amendment: presentAmendment(result.amendment), ...presentConsequences(result) };
}

/** The response for a preview of a change of terms. */
export function presentAmendmentPreview(result: AmendmentResult) {
  return { amendment: presentPreviewedAmendment(result.amendment), ...presentConsequences(result) };
}

function presentConsequences({ subscription, invoice }: AmendmentResult) {
  return { subscription: presentSubscription(subscription), invoice: invoice && presentUpcoming(invoice) };
}
