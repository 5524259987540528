import type { Language } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { ProrationBasis } from '#libs/rating';
import type { InvoiceNumberFormat } from './document-number.js';
import type { EInvoicingChoice, Seller } from './seller.js';

/**
 * The unit in which parts of a period are measured. With `time`, parts of a period are exact to the millisecond. With `days`, parts of a
 * period are whole days in the subscription's time zone.
 */
export const PRORATION_UNITS = ['time', 'days'] as const satisfies readonly ProrationBasis['unit'][];
export type ProrationUnit = (typeof PRORATION_UNITS)[number];

/**
 * `subscription`: each subscription has separate invoices. `customer`: the subscriptions of a customer that are due at the same instant
 * share an invoice.
 */
export const INVOICE_GROUPINGS = ['subscription', 'customer'] as const;
export type InvoiceGrouping = (typeof INVOICE_GROUPINGS)[number];

/** The paper sizes of documents: ISO A4 (210 × 297 mm) or US Letter (8.5 × 11 in). */
export const PAPER_SIZES = ['a4', 'letter'] as const;
export type PaperSize = (typeof PAPER_SIZES)[number];

/** The languages that a Swiss QR-bill can have. */
export const QR_BILL_LANGUAGES = ['de', 'fr', 'it', 'en'] as const;
export type QrBillLanguage = (typeof QR_BILL_LANGUAGES)[number];

/**
 * The kinds of mail to customers that a workspace can turn off in its billing settings. Payment reminders are not in this list, because the
 * workspace's dunning policy determines which reminders are sent.
 */
export const CUSTOMER_EMAIL_KINDS = ['invoice', 'receipt', 'payment_failed', 'credit_note'] as const;
export type CustomerEmailKind = (typeof CUSTOMER_EMAIL_KINDS)[number];

/** The settings that an invoice copies from its workspace when it is created. A customer's own language replaces `language`. */
export interface InvoiceSettings {
  /** True if a draft is opened without the approval of a user. */
  autoApprove: boolean;
  /** True if an open invoice is charged to the card on file. */
  autoCollect: boolean;
  /**
   * The number of hours before a draft is opened automatically, if `autoApprove` is true. Before a draft is opened, it is recomputed with
   * the usage that arrived meanwhile. A draft that is opened automatically at once is not recomputed.
   */
  gracePeriodHours: number;
  /**
   * True if a draft whose lines are all zero is voided without a number, instead of being opened automatically. A user can still approve
   * such a draft. If false, a draft without charges is opened automatically like any other draft.
   */
  skipZeroInvoices: boolean;
  /** True if the customer keeps the features of the plan while the subscription is past due. */
  entitledWhilePastDue: boolean;
  /** The number of days from the opening to the due date. */
  netDays: number;
  /** The unit in which proration measures parts of a period. */
  prorationBasis: ProrationUnit;
  /** The prefix of invoice numbers: 1 to 10 letters and digits. */
  invoiceNumberPrefix: string;
  /** The format of the numbers of invoices and credit notes. With `number`, credit notes still have the format `prefix-number`. */
  invoiceNumberFormat: InvoiceNumberFormat;
  /** The prefix of credit note numbers. The prefix of credit note numbers differs from the prefix of invoice numbers. */
  creditNoteNumberPrefix: string;
  /** The text that is printed at the foot of an invoice. */
  invoiceFooter: string | null;
  /** The language of the invoice's documents. */
  language: Language;
  /**
   * True if the documents of the invoice print lines of quantity 0 without an amount. If absent, they print them, because the documents of
   * older invoices did.
   */
  printZeroLines?: boolean;
  /**
   * True if an amount due below the minimum of the payment processor is carried to the next invoice. If absent, it is not, because older
   * invoices stayed open.
   */
  carrySmallAmounts?: boolean;
  /** The language of the headings of a Swiss QR-bill. Null or absent if they follow the language of the document. */
  qrBillLanguage?: QrBillLanguage | null;
  /** The paper size of documents. If absent, it is A4. */
  paperSize?: PaperSize;
  /** The legal details of the seller. Null if only the workspace's name is known. */
  seller: Seller | null;
  /** The e-invoice that PDFs of invoices and credit notes contain; `none` if they contain none. */
  eInvoicing: EInvoicingChoice;
  /**
   * The time zone (IANA) that determines the dates of documents and bookings. If null or absent, the customer's time zone determines the
   * dates.
   */
  timezone?: string | null;
}

const INVOICE_SETTINGS: Readonly<Record<keyof InvoiceSettings, true>> = {
  autoApprove: true,
  autoCollect: true,
  gracePeriodHours: true,
  skipZeroInvoices: true,
  entitledWhilePastDue: true,
  netDays: true,
  prorationBasis: true,
  invoiceNumberPrefix: true,
  invoiceNumberFormat: true,
  creditNoteNumberPrefix: true,
  invoiceFooter: true,
  language: true,
  printZeroLines: true,
  carrySmallAmounts: true,
  qrBillLanguage: true,
  paperSize: true,
  seller: true,
  eInvoicing: true,
  timezone: true,
};

/** The names of the settings that are copied to a new invoice. The compiler demands each of them. */
export const INVOICE_SETTING_NAMES = Object.keys(INVOICE_SETTINGS) as (keyof InvoiceSettings)[];

/** The billing settings of a workspace. */
export interface BillingSettings extends InvoiceSettings {
  /** Tells whether subscriptions of a customer that are due at the same instant, in the same currency, share one invoice. */
  invoiceGrouping: InvoiceGrouping;
  /**
   * Tells whether a customer's balance pays the customer's open invoices in its currency as soon as it grows, and before a payment reminder
   * names them. If false, the balance pays only invoices that are opened later, and on request.
   */
  balancePaysOpenInvoices: boolean;
  /**
   * The logo on every document, as a `data:` URL with a PNG or SVG. Null if the workspace has no logo. Old documents show the present logo
   * too.
   */
  logo: string | null;
  /**
   * The colour of lines and buttons on documents, such as `#1a2b3c`. If null, documents use the default colour. Old documents show the
   * present colour too.
   */
  brandColor: string | null;
  /**
   * The tax rates of customers without tax rates of their own. An invoice stores the tax rates themselves, so a change of this setting does
   * not affect existing invoices.
   */
  defaultTaxRateIds: string[];
  /** The kinds of mail that customers get. */
  customerEmails: CustomerEmailKind[];
  /** The name of the sender of mail to customers. If null, the sender's name is the seller's name. */
  emailSenderName: string | null;
  /**
   * The reply address of mail to customers. If null, replies go to the seller's email address, or to the sender's address if the seller has
   * none.
   */
  emailReplyTo: string | null;
  /** The addresses to which a sandbox sends mail: `ada@example.com`, or `@example.com` for all addresses of a domain. */
  sandboxEmailAllowlist: string[];
}

/** The event contains only the settings that changed. */
export type BillingSettingsEvent = DomainEvent<
  'BillingSettingsChanged',
  { workspaceId: string } & Partial<BillingSettings>
>;

export const billingSettingsEvents: EventCatalog<BillingSettingsEvent> = { BillingSettingsChanged: v1 };
