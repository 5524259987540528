/** The actions for which a policy can require the approval of a second person. */
export const APPROVAL_ACTIONS = [
  'credit.grant',
  'invoice.void',
  'invoice.credit_note',
  'subscription.cancel',
  'subscription.pause',
  'balance.adjust',
  'payment.record',
  'invoice.mark_uncollectible',
  'price.lower',
] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** The label of an action, and whether its approval requests have an amount to compare with a threshold. */
interface ActionDescription {
  readonly label: string;
  readonly hasAmount: boolean;
}

const DESCRIPTIONS: Readonly<Record<ApprovalAction, ActionDescription>> = {
  'credit.grant': { label: 'Grant credits', hasAmount: true },
  'invoice.void': { label: 'Void an invoice', hasAmount: true },
  'invoice.credit_note': { label: 'Issue a credit note', hasAmount: true },
  // A cancellation gives back more or less money, depending on the day on which it is approved. So its request has no amount.
  'subscription.cancel': { label: 'Cancel a subscription', hasAmount: false },
  // A pause gives the unused part of prepaid fees back, as a cancellation does.
  'subscription.pause': { label: 'Pause a subscription', hasAmount: false },
  'balance.adjust': { label: 'Change a balance', hasAmount: true },
  'payment.record': { label: 'Record a payment', hasAmount: true },
  'invoice.mark_uncollectible': { label: 'Write off an invoice', hasAmount: true },
  // What a lower price costs depends on who will buy how much.
  'price.lower': { label: 'Lower a price', hasAmount: false },
};

/** Tells whether the text names an action. */
export function isApprovalAction(text: string): text is ApprovalAction {
  return (APPROVAL_ACTIONS as readonly string[]).includes(text);
}

/** Returns the label of an action, and whether it has an amount. */
export function describeAction(action: ApprovalAction): ActionDescription {
  return DESCRIPTIONS[action];
}
