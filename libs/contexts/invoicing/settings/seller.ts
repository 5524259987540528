import type { PostalAddress } from '#libs/kernel/core';

/** Who invoices come from, as the law wants it on them. What there is nothing to say of is null. */
export interface Seller {
  /** As it is registered; null: the workspace's name. */
  legalName: string | null;
  address: PostalAddress | null;
  /** The VAT identification number. */
  taxId: string | null;
  /** In the trade register, or whatever the country has. */
  registrationNumber: string | null;
  email: string | null;
  phone: string | null;
  /** Where transfers go. */
  bankAccount: BankAccount | null;
}

/** Without spaces. */
export interface BankAccount {
  iban: string;
  bic: string | null;
}

/** Whether PDFs of invoices and credit notes have the e-invoice inside: `facturx` (Factur-X, ZUGFeRD). */
export const E_INVOICING = ['none', 'facturx'] as const;
export type EInvoicing = (typeof E_INVOICING)[number];
