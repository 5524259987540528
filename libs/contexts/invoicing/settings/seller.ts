import type { ElectronicAddress, PostalAddress } from '#libs/kernel/core';
import type { BankAccount } from './bank-account.js';

/** The legal details of the seller, as the law requires them on invoices. A field without a value is null. */
export interface Seller {
  /** The registered name of the company. If the legal name is null, the workspace's name is used. */
  legalName: string | null;
  address: PostalAddress | null;
  /** The VAT identification number. */
  taxId: string | null;
  /** The number that the tax office gave the seller, which is no VAT id (BT-32). Absent if it was never set. */
  taxNumber?: string | null;
  /**
   * The reason why the seller charges no tax to anybody, such as an exemption of small businesses. Absent if it was never set.
   */
  taxExemptReason?: string | null;
  /** The seller's number in the trade register, or in the register that the seller's country uses instead. */
  registrationNumber: string | null;
  /** The person or department for questions about invoices (BT-41). Absent if it was never set. */
  contactName?: string | null;
  email: string | null;
  phone: string | null;
  /** The address in a network for e-invoices (BT-34). If null or absent, it is `email`. */
  electronicAddress?: ElectronicAddress | null;
  /** The bank account for transfers. */
  bankAccount: BankAccount | null;
}

/** Tells whether PDFs of invoices and credit notes contain an e-invoice. `facturx` is Factur-X (ZUGFeRD). */
export const E_INVOICING_CHOICES = ['none', 'facturx'] as const;
export type EInvoicingChoice = (typeof E_INVOICING_CHOICES)[number];
