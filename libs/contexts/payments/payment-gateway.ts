import type { DecimalString } from '#libs/kernel/core';

/** A request to charge a card. Every field comes from the invoice's events, so a repeated request is the same. */
export interface ChargeRequest {
  /** The idempotency key: the attempt's id. Each key is charged only once, even if several callers send it at the same time. */
  readonly key: string;
  readonly workspaceId: string;
  readonly invoiceId: string;
  /** The number of the attempt on this invoice, from 1. */
  readonly attempt: number;
  readonly amount: DecimalString;
  readonly currency: string;
  readonly method: ChargeablePaymentMethod;
}

/** The fields of a payment method on file that a gateway needs. */
export type ChargeablePaymentMethod = ChargeableTestMethod | ChargeableCard;

export interface ChargeableTestMethod {
  readonly type: 'test';
  readonly test: string;
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

/** The result of a charge. `code` is for programs, `message` for the customer. */
export type ChargeOutcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  /** The bank asks the customer to confirm the payment. {@link PaymentGateway.confirm} completes the charge afterwards. */
  | { readonly status: 'requires_action'; readonly message: string };

/** A request to pay money back to the card that was charged. */
export interface RefundRequest {
  /**
   * The idempotency key: the id of the credit note, or an id that is derived from the invoice and the later invoice. Each key is refunded
   * only once, even if several callers send it at the same time.
   */
  readonly key: string;
  /** The idempotency key of the refunded charge, which must have succeeded. */
  readonly chargeKey: string;
  readonly workspaceId: string;
  readonly amount: DecimalString;
  readonly currency: string;
}

/** Charges and refunds cards through a payment processor. */
export interface PaymentGateway {
  /**
   * Charges the card. If this key was charged before, returns the result of that charge. Simultaneous calls with the same key make only one
   * charge. Throws only if the result is unknown. The same call can then be repeated.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;

  /**
   * Begins the confirmation of a charge that requires action. Returns the address at which the customer confirms it. Afterwards the
   * processor sends the customer to `returnUrl`. Returns null if no such page is needed: {@link confirm} then has the result.
   */
  beginConfirmation(key: string, returnUrl: string): Promise<string | null>;

  /** Completes a charge that required action, after the customer has confirmed it. A repeated call changes nothing. */
  confirm(key: string): Promise<ChargeOutcome>;

  /**
   * Refunds the whole of a charge that succeeded although its invoice does not need it any more. Does nothing if this was done before, or if
   * the processor refuses it for good, as after a refund at the processor itself.
   */
  refundUnwantedCharge(key: string): Promise<void>;

  /**
   * Refunds a part of a charge. Does nothing if this key was refunded before. Resolves when the money is on its way back. Throws Conflict
   * (`refund_refused`) if the processor refuses it for good. Throws another error if the result is unknown. The same call can then be repeated.
   */
  refund(request: RefundRequest): Promise<void>;
}
