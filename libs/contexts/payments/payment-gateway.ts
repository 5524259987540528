import type { DecimalString } from '#libs/kernel/core';

/** What is charged. All of it follows from the invoice's events, so it is the same however often it is asked for. */
export interface ChargeRequest {
  /** Idempotency key: the attempt's id. Whoever asks, and however many at once, a key is charged once. */
  readonly key: string;
  readonly workspaceId: string;
  readonly invoiceId: string;
  /** Which attempt on this invoice it is, from 1. */
  readonly attempt: number;
  readonly amount: DecimalString;
  readonly currency: string;
  readonly method: ChargeableMethod;
}

/** The card on file, as far as a gateway needs it. */
export interface ChargeableMethod {
  readonly type: 'test';
  readonly test: string;
  readonly declines?: number;
}

/** What became of a charge. `code` is for programs, `message` for the customer. */
export type ChargeOutcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  /** The customer's bank wants to hear from the customer; {@link PaymentGateway.confirm} goes on. */
  | { readonly status: 'requires_action'; readonly message: string };

/** Money that goes back to the card that was charged. */
export interface RefundRequest {
  /** Idempotency key: the credit note's id. Whoever asks, and however many at once, a key is refunded once. */
  readonly key: string;
  /** The key of the charge, which succeeded. */
  readonly chargeKey: string;
  readonly workspaceId: string;
  readonly amount: DecimalString;
  readonly currency: string;
}

/** A processor of payments. */
export interface PaymentGateway {
  /**
   * Charges, or says what became of the charge that this key already made. Calls with one key at the same moment are
   * one charge. Throws only if it is not known what became of it: the same call can then be made again.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;

  /** Goes on with a charge that required action, once the customer has acted. Repeating it changes nothing. */
  confirm(key: string): Promise<ChargeOutcome>;

  /**
   * Refunds a part of a charge, or does nothing if this key has done so. Resolves when the money is on its way back. Throws if it
   * is not known to be: the same call can then be made again.
   */
  refund(request: RefundRequest): Promise<void>;
}
