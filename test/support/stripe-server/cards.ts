/** What happens when a card is charged. */
export interface CardBehaviour {
  readonly brand: string;
  readonly last4: string;
  /** The bank's decline code. Absent if charges succeed. */
  readonly decline?: string;
  /** The bank wants the customer to confirm each charge. */
  readonly authenticates?: true;
}

/** Cards that behave as Stripe's test cards (docs.stripe.com/testing). */
export const CARDS = {
  visa: { brand: 'visa', last4: '4242' },
  declined: { brand: 'visa', last4: '0002', decline: 'generic_decline' },
  insufficientFunds: { brand: 'visa', last4: '9995', decline: 'insufficient_funds' },
  stolen: { brand: 'visa', last4: '9979', decline: 'stolen_card' },
  authenticates: { brand: 'visa', last4: '3184', authenticates: true },
} as const satisfies Record<string, CardBehaviour>;

export type CardName = keyof typeof CARDS;
