import type { DecimalString, EInvoiceProfile, ElectronicAddress, PostalAddress } from '#libs/kernel/core';

/**
 * An invoice or a credit note in the terms of EN 16931-1. Comments give the number of each field's term in EN 16931 (BT-…, BG-…), and the
 * names of its rules (BR-…). Amounts have the decimal places of the currency's minor unit. Amounts of lines and discounts do not include
 * tax. Days are written as `2026-01-31`.
 */
export interface EInvoice {
  /** The specification that the document keeps to (BT-24). */
  readonly profile: EInvoiceProfile;
  /** The document type (BT-3), from UNTDID 1001: `380` for an invoice, `381` for a credit note. */
  readonly typeCode: '380' | '381';
  /** The number of the document (BT-1). */
  readonly number: string;
  /** The date of issue (BT-2). */
  readonly issueDate: string;
  /** The due date (BT-9). Null on a credit note. */
  readonly dueDate: string | null;
  /** The payment terms (BT-20). */
  readonly paymentTerms: string | null;
  /** The reference that the buyer needs, such as a Leitweg-ID (BT-10). */
  readonly buyerReference: string | null;
  /** The number of the buyer's purchase order (BT-13). */
  readonly orderNumber: string | null;
  /** The currency (BT-5). */
  readonly currency: string;
  /** A note on the document (BT-22). */
  readonly note: string | null;
  /** The first and last day of the invoicing period (BG-14). */
  readonly period: EPeriod;
  /** The invoice that a credit note refers to (BG-3). */
  readonly precedingInvoice: { readonly number: string; readonly issueDate: string } | null;
  /** The seller (BG-4). */
  readonly seller: EParty;
  /** The buyer (BG-7). */
  readonly buyer: EParty;
  /** How to pay (BG-16). */
  readonly payment: EPayment;
  /** The VAT breakdown (BG-23): one entry for each category and rate of the lines. */
  readonly vat: readonly EVat[];
  /** The lines (BG-25), at least one (BR-16). */
  readonly lines: readonly ELine[];
  /** The discounts on the whole document (BG-20), each greater than zero. */
  readonly allowances: readonly EAllowance[];
  /** The totals (BG-22). */
  readonly totals: ETotals;
}

/** The first and last day of a period, both included. */
export interface EPeriod {
  readonly start: string;
  readonly end: string;
}

/** The seller or the buyer of an e-invoice. */
export interface EParty {
  readonly name: string;
  /** A number that identifies the seller if it has neither a VAT id nor a registration (BT-29). Null for a buyer. */
  readonly identifier: string | null;
  readonly address: PostalAddress;
  readonly vatId: string | null;
  /** The number that the tax office gave the seller (BT-32). Null for a buyer. */
  readonly taxNumber: string | null;
  readonly registrationNumber: string | null;
  /** The person or department to ask (BT-41). Null for a buyer. */
  readonly contactName: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  /** The address in a network for e-invoices (BT-34, BT-49). */
  readonly electronicAddress: ElectronicAddress | null;
}

/** The means by which the customer must pay. `code` is from UNTDID 4461. The code `1`, not defined, is for credit notes. */
export type EPayment =
  | {
      readonly code: '30' | '58';
      readonly iban: string;
      readonly bic: string | null;
      readonly name: string;
      /** The text of the transfer (BT-83). */
      readonly reference: string;
    }
  | { readonly code: '68' }
  | { readonly code: '1' };

/** The VAT category of a line or an allowance. `code` is from UNTDID 5305 (BT-95, BT-151). */
export interface ECategory {
  readonly code: 'S' | 'Z' | 'E' | 'AE' | 'G' | 'O';
  /** The rate in percent (BT-96, BT-119, BT-152). The rate is null for category `O`, which has no rate. */
  readonly percent: DecimalString | null;
}

/** One entry of the VAT breakdown: the taxable amount and the tax of one VAT category. */
export interface EVat extends ECategory {
  /** The reason for an exemption, as text (BT-120). Null for the categories `S` and `Z`, in which a tax rate applies. */
  readonly reason: string | null;
  /** The reason for an exemption, as a code (BT-121). Null for the categories `S` and `Z`, and if only the text gives the reason. */
  readonly reasonCode: string | null;
  /** The taxable amount (BT-116). */
  readonly taxable: DecimalString;
  /** The tax (BT-117). */
  readonly amount: DecimalString;
}

/** A line of an e-invoice. */
export interface ELine {
  /** The number of the line (BT-126). */
  readonly id: string;
  /** The name of the item (BT-153). */
  readonly name: string;
  /** A note on the line (BT-127). */
  readonly note: string | null;
  /** The quantity (BT-129). The quantity is negative if the line gives something back. */
  readonly quantity: DecimalString;
  /** The price of `baseQuantity` units (BT-146), with the currency's decimals. The price is never negative (BR-27). */
  readonly price: DecimalString;
  /** The number of units to which `price` applies (BT-149). */
  readonly baseQuantity: DecimalString;
  /** The amount of the line (BT-131). */
  readonly amount: DecimalString;
  /** The period of the line (BG-26). */
  readonly period: EPeriod;
  /** The VAT category of the line (BG-30). */
  readonly category: ECategory;
}

/** A discount on the whole document. */
export interface EAllowance {
  /** The reason for the discount (BT-97). */
  readonly reason: string;
  /** The amount of the discount (BT-92). */
  readonly amount: DecimalString;
  readonly category: ECategory;
}

/** The totals of the document. */
export interface ETotals {
  /** The sum of the amounts of all lines (BT-106). */
  readonly lines: DecimalString;
  /** The sum of all discounts on the document (BT-107). */
  readonly allowances: DecimalString;
  /** The total without VAT: `lines` less `allowances` (BT-109). */
  readonly withoutVat: DecimalString;
  /** The total VAT (BT-110). */
  readonly vat: DecimalString;
  /** The total with VAT (BT-112). */
  readonly withVat: DecimalString;
  /** The amount that is already paid (BT-113). */
  readonly prepaid: DecimalString;
  /** The amount that compensates for rounding (BT-114). */
  readonly rounding: DecimalString;
  /** The amount that is still to be paid (BT-115). */
  readonly due: DecimalString;
}
