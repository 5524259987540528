import { presentUpcoming, type AmendmentResult } from '#libs/contexts/billing';
import {
  presentAmendment,
  presentPreviewedAmendment,
  presentSubscription,
} from '#libs/contexts/subscriptions';

/** What a change of terms came to. */
export function presentAmendmentResult(result: AmendmentResult) {
  return { amendment: presentAmendment(result.amendment), ...presentConsequences(result) };
}

/** What a change of terms would come to. */
export function presentAmendmentPreview(result: AmendmentResult) {
  return { amendment: presentPreviewedAmendment(result.amendment), ...presentConsequences(result) };
}

function presentConsequences({ subscription, invoice }: AmendmentResult) {
  return { subscription: presentSubscription(subscription), invoice: invoice && presentUpcoming(invoice) };
}
