import type { DecimalString, PostalAddress } from '#libs/kernel/core';

/**
 * An invoice or a credit note in the terms of EN 16931-1, whose numbers (BT-…, BG-…) stand beside them; rules of the norm are named as
 * there (BR-…). Amounts are in the currency's minor unit and without tax, days are `2026-01-31`.
 */
export interface EInvoice {
  /** BT-3, of UNTDID 1001: `380` an invoice, `381` a credit note. */
  readonly typeCode: '380' | '381';
  /** BT-1. */
  readonly number: string;
  /** BT-2. */
  readonly issueDate: string;
  /** BT-9; null on a credit note. */
  readonly dueDate: string | null;
  /** BT-20. */
  readonly paymentTerms: string | null;
  /** BT-13: the buyer's purchase order. */
  readonly orderNumber: string | null;
  /** BT-5. */
  readonly currency: string;
  /** BT-22. */
  readonly note: string | null;
  /** BG-14: first and last day. */
  readonly period: EPeriod;
  /** BG-3: what a credit note is on. */
  readonly preceding: { readonly number: string; readonly issueDate: string } | null;
  /** BG-4. */
  readonly seller: EParty;
  /** BG-7. */
  readonly buyer: EParty;
  /** BG-16; null on a credit note. */
  readonly payment: EPayment | null;
  /** BG-23: one for each category and rate of the lines. */
  readonly vat: readonly EVat[];
  /** BG-25; at least one (BR-16). */
  readonly lines: readonly ELine[];
  /** BG-20, each above zero. */
  readonly allowances: readonly EAllowance[];
  /** BG-22. */
  readonly totals: ETotals;
}

/** Both days are included. */
export interface EPeriod {
  readonly start: string;
  readonly end: string;
}

export interface EParty {
  readonly name: string;
  readonly address: PostalAddress;
  readonly vatId: string | null;
  readonly registrationNumber: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** How the invoice is to be paid; `code` is of UNTDID 4461. */
export type EPayment =
  | { readonly code: '30' | '58'; readonly iban: string; readonly bic: string | null; readonly name: string }
  | { readonly code: '68' };

/** What tax a line or an allowance has. `code` is of UNTDID 5305 (BT-95, BT-151). */
export interface ECategory {
  readonly code: 'S' | 'Z' | 'E' | 'AE' | 'G' | 'O';
  /** BT-96, BT-119, BT-152; null where there is no rate, with `O`. */
  readonly percent: DecimalString | null;
}

export interface EVat extends ECategory {
  /** BT-120; null where tax is charged. */
  readonly reason: string | null;
  /** BT-121; null where the reason alone says it. */
  readonly reasonCode: string | null;
  /** BT-116. */
  readonly taxable: DecimalString;
  /** BT-117. */
  readonly amount: DecimalString;
}

export interface ELine {
  /** BT-126. */
  readonly id: string;
  /** BT-153. */
  readonly name: string;
  /** BT-127. */
  readonly note: string | null;
  /** BT-129: below zero where something is given back. */
  readonly quantity: DecimalString;
  /** BT-146, never below zero (BR-27), for `baseQuantity`, with the currency's digits. */
  readonly price: DecimalString;
  /** BT-149. */
  readonly baseQuantity: DecimalString;
  /** BT-131. */
  readonly amount: DecimalString;
  /** BG-26. */
  readonly period: EPeriod;
  /** BG-30. */
  readonly category: ECategory;
}

export interface EAllowance {
  /** BT-97. */
  readonly reason: string;
  /** BT-92. */
  readonly amount: DecimalString;
  readonly category: ECategory;
}

export interface ETotals {
  /** BT-106 to BT-110, BT-112 to BT-115, in this order. */
  readonly lines: DecimalString;
  readonly allowances: DecimalString;
  readonly withoutVat: DecimalString;
  readonly vat: DecimalString;
  readonly withVat: DecimalString;
  readonly prepaid: DecimalString;
  readonly rounding: DecimalString;
  readonly due: DecimalString;
}
