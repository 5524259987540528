import { describeAction, type ApprovalMail } from '#libs/contexts/approvals';
import { utcTimeText, type Letter } from '../templates/letter.js';

/** Makes the content of a mail to a user who can approve or reject a request. */
export function approvalRequestLetter({ request, requesterName, workspaceName, url }: ApprovalMail): Letter {
  const { requestId, action, resource, customerId, amount, currency, expiresAt } = request;
  const { label } = describeAction(action);
  const where = workspaceName ?? 'a workspace';
  const ofCustomer = customerId === null ? '' : ` of the customer ${customerId}`;
  const price = amount === null ? 'It has no amount.' : `Its amount is ${amount} ${currency}.`;
  return {
    subject: `Approval needed in ${where}: ${label}${amount === null ? '' : `, ${amount} ${currency}`}`,
    paragraphs: [
      `${requesterName ?? 'Somebody'} asks for an approval in ${where} on Countinghouse: ${label}.`,
      `The request ${requestId} concerns the ${resource.type.replaceAll('_', ' ')} ${resource.id}${ofCustomer}. ${price}`,
      'Nothing is done until you or another person decides. The first decision counts.',
      // Nothing follows an address, since mail programs can take a full stop for a part of it.
      `To approve, send POST ${url}/approve`,
      `To reject, send POST ${url}/reject`,
    ],
    notes: [
      `For the reason and each change, send GET ${url}`,
      `The request expires on ${utcTimeText(expiresAt)}, by the clock of the workspace. Then nothing is done.`,
    ],
  };
}
