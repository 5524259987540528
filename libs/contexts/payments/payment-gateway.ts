import type { DecimalString } from '#libs/kernel/core';

/** A request to charge a card. All fields come from the invoice's events, so a repeated request has the same fields as the first one. */
export interface ChargeRequest {
  /**
   * The idempotency key: the id of the payment attempt. Each key is charged only once, even if several callers send it at the same time.
   */
  readonly key: string;
  readonly workspaceId: string;
  readonly invoiceId: string;
  /** The number of the payment attempt on the invoice, starting at 1. */
  readonly attempt: number;
  readonly amount: DecimalString;
  readonly currency: string;
  readonly method: ChargeablePaymentMethod;
}

/** The fields of a payment method on file that a gateway needs. */
export type ChargeablePaymentMethod = ChargeableTestMethod | ChargeableCard;

/** A simulated card of a sandbox. */
export interface ChargeableTestMethod {
  readonly type: 'test';
  /** The name of the simulated card, such as `pm_card_visa`. */
  readonly test: string;
  /**
   * The attempts of an invoice up to this number are declined, and later attempts succeed. Attempts with other cards on the same invoice
   * count too. Only `pm_card_declineThenSucceed` has this field.
   */
  readonly declines?: number;
}

/** A card that a payment processor keeps. */
export interface ChargeableCard {
  readonly type: 'card';
  readonly gateway: 'stripe';
  /** The processor's id of the customer. */
  readonly gatewayCustomerId: string;
  /** The processor's id of the card. */
  readonly gatewayMethodId: string;
}

/** The result of a charge. `code` is for programs, and `message` is for the customer. */
export type ChargeOutcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  /** The bank asks the customer to confirm the payment. {@link PaymentGateway.completeConfirmation} completes the charge afterwards. */
  | { readonly status: 'requires_action'; readonly message: string };

/** A request to pay money back to the card that was charged. */
export interface RefundRequest {
  /**
   * The idempotency key. For a credit note, it is the id of the credit note. If a later invoice gives money back, it is derived from the
   * ids of that invoice and the refunded invoice. Each key is refunded only once, even if several callers send it at the same time.
   */
  readonly key: string;
  /** The idempotency key of the refunded charge, which must have succeeded. */
  readonly chargeKey: string;
  readonly workspaceId: string;
  readonly amount: DecimalString;
  readonly currency: string;
  /**
   * True if a refund at the payment processor has given back a part, and `amount` is the rest. An earlier request with the same key may have
   * had the whole amount, and was refused. Absent otherwise.
   */
  readonly isRest?: true;
}

/** A refund that was made at the payment processor itself. */
export interface ForeignRefund {
  readonly refundId: string;
  readonly amount: DecimalString;
  /** Why the refund failed. Absent if the refund did not fail. */
  readonly failure?: string;
}

/** Charges and refunds cards through a payment processor. */
export interface PaymentGateway {
  /**
   * Charges the card. If a charge was already made with this key, the result of that charge is returned. Simultaneous calls with the same
   * key make only one charge. Throws if the result of the charge is unknown, or if the workspace has no gateway any more
   * (`no_payment_gateway`). The caller can then repeat the call.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;

  /**
   * Begins the confirmation of a charge that requires action. Returns the address of the page on which the customer confirms the charge.
   * After the confirmation, the processor sends the customer to `returnUrl`. Returns null if no confirmation page is needed;
   * {@link completeConfirmation} then returns the result.
   */
  beginConfirmation(key: string, returnUrl: string): Promise<string | null>;

  /**
   * Completes a charge that required action, after the customer has confirmed it. The result of the charge counts as unknown until it is
   * returned. A repeated call changes nothing.
   */
  completeConfirmation(key: string): Promise<ChargeOutcome>;

  /**
   * Cancels a charge that waits for the customer's confirmation, because its invoice was voided. If the customer has confirmed the charge
   * meanwhile, it is refunded in full. Does nothing if the charge has failed. A repeated call changes nothing.
   */
  cancelWaitingCharge(key: string): Promise<void>;

  /** Returns the present result of a charge that required action, whether or not the customer has confirmed it. */
  readOutcome(key: string): Promise<ChargeOutcome>;

  /**
   * Refunds in full a charge that succeeded although its invoice does not need it any more. Does nothing if the charge was already
   * refunded, or if the processor refuses the refund for good.
   */
  refundUnwantedCharge(key: string): Promise<void>;

  /**
   * Tells whether {@link refundUnwantedCharge} was called for the charge. Such a charge can never pay its invoice, even if it is owed
   * again.
   */
  isUnwantedCharge(key: string): Promise<boolean>;

  /**
   * Refunds a part of a charge. Does nothing if a refund with this key was already made. The promise resolves when the processor has
   * accepted the refund. Throws Conflict (`refund_refused`) if the processor refuses the refund for good. Throws another error if the
   * result of the refund is unknown. The caller can then repeat the call.
   */
  refund(request: RefundRequest): Promise<void>;

  /** The refunds of a charge that were made at the payment processor itself, for example in its dashboard. Oldest first. */
  refundsMadeElsewhere(chargeKey: string): Promise<readonly ForeignRefund[]>;
}
