import { presentInvoicePreview, type AmendmentResult } from '#libs/contexts/billing';
import {
  presentAmendment,
  presentPreviewedAmendment,
  presentSubscription,
} from '#libs/contexts/subscriptions';
import type { AmendmentResultView } from './amendment.dto.js';

/** Returns the response for a change of a subscription's terms. */
export function presentAmendmentResult(result: AmendmentResult): AmendmentResultView {
  return { amendment: presentAmendment(result.amendment), ...presentConsequences(result) };
}

/** Returns the response for the preview of a change of a subscription's terms. */
export function presentAmendmentPreview(result: AmendmentResult): AmendmentResultView {
  return { amendment: presentPreviewedAmendment(result.amendment), ...presentConsequences(result) };
}

function presentConsequences({ subscription, invoice }: AmendmentResult) {
  return {
    subscription: presentSubscription(subscription),
    invoice: invoice && presentInvoicePreview(invoice),
  };
}
