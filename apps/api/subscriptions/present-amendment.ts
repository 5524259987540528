import { presentInvoicePreview, type AmendmentResult } from '#libs/contexts/billing';
import {
  presentAmendment,
  presentPreviewedAmendment,
  presentSubscription,
} from '#libs/contexts/subscriptions';

/** Returns the response for a change of a subscription's terms. */
export function presentAmendmentResult(result: AmendmentResult) {
  return { amendment: presentAmendment(result.amendment), ...presentConsequences(result) };
}

/** Returns the response for the preview of a change of a subscription's terms. */
export function presentAmendmentPreview(result: AmendmentResult) {
  return { amendment: presentPreviewedAmendment(result.amendment), ...presentConsequences(result) };
}

function presentConsequences({ subscription, invoice }: AmendmentResult) {
  return {
    subscription: presentSubscription(subscription),
    invoice: invoice && presentInvoicePreview(invoice),
  };
}
