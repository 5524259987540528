import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Language } from '#libs/kernel/core';
import { defineDecider, v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import { BY_TIME, type ProrationBasis } from '#libs/rating';
import type { InvoiceNumberFormat } from './document-number.js';
import { requireLogo } from './logo/logo.js';
import type { EInvoicing, Seller } from './seller.js';

/** `time`: to the millisecond. `days`: whole days of the subscription's calendar. */
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

/** The settings that an invoice copies from its workspace when it is created. */
export interface InvoiceSettings {
  /** True if a draft is opened without the approval of a user. */
  autoApprove: boolean;
  /** True if an open invoice is charged to the card on file. */
  autoCollect: boolean;
  /** The number of hours before a draft is opened automatically. The draft is then recomputed with the usage that arrived meanwhile. */
  gracePeriodHours: number;
  /** True if a draft without charges is voided, without a number. Otherwise it is opened automatically like any other draft. */
  skipZeroInvoices: boolean;
  /** The number of days from the opening to the due date. */
  netDays: number;
  /** The unit of parts of a period. */
  prorationBasis: ProrationUnit;
  /** The prefix of invoice numbers: 1 to 10 letters and digits. */
  invoiceNumberPrefix: string;
  invoiceNumberFormat: InvoiceNumberFormat;
  /** The prefix of credit note numbers. It differs from the prefix of invoice numbers. */
  creditNoteNumberPrefix: string;
  /** The text that is printed at the foot of an invoice. */
  invoiceFooter: string | null;
  /** The language of the invoice's documents. */
  language: Language;
  /** Absent: A4. */
  paperSize?: PaperSize;
  /** Null if only the workspace's name is known. */
  seller: Seller | null;
  eInvoicing: EInvoicing;
  /** The time zone (IANA) that determines the dates of documents and bookings. Null or absent: the customer's time zone. */
  timezone?: string | null;
}

/** The billing settings of a workspace. */
export interface BillingSettings extends InvoiceSettings {
  /** Tells whether subscriptions of a customer that are due at the same instant, in the same currency, share one invoice. */
  invoiceGrouping: InvoiceGrouping;
  /** The logo on every document, as a `data:` URL with a PNG or SVG. Null if there is none. Old documents show the present logo too. */
  logo: string | null;
  /** The colour of lines and buttons on documents, such as `#1a2b3c`; null: our default. Old documents show the present colour too. */
  brandColor: string | null;
  /** The tax rates of customers without tax rates of their own. An invoice stores the rates themselves. */
  defaultTaxRateIds: string[];
}

/** The default settings of a workspace. */
export const BILLING_DEFAULTS: BillingSettings = {
  autoApprove: true,
  autoCollect: true,
  gracePeriodHours: 0,
  skipZeroInvoices: false,
  netDays: 30,
  prorationBasis: 'time',
  invoiceNumberPrefix: 'INV',
  invoiceNumberFormat: 'prefix-number',
  creditNoteNumberPrefix: 'CN',
  invoiceFooter: null,
  language: 'en',
  paperSize: 'a4',
  invoiceGrouping: 'subscription',
  seller: null,
  eInvoicing: 'none',
  timezone: null,
  logo: null,
  brandColor: null,
  defaultTaxRateIds: [],
};

/** The logo and the colour of a workspace's documents. */
export type DocumentBrand = Pick<BillingSettings, 'logo' | 'brandColor'>;

/** The brand of a workspace without a logo and a colour. */
export const DEFAULT_BRAND: DocumentBrand = { logo: null, brandColor: null };

/** The unit in which a part of a subscription's period is counted. Days are those of the subscription's time zone. */
export function prorationBasisOf(
  { prorationBasis }: Pick<BillingSettings, 'prorationBasis'>,
  { timezone }: { readonly timezone: string },
): ProrationBasis {
  return prorationBasis === 'time' ? BY_TIME : { unit: 'days', timezone };
}

/** The event contains only the settings that changed. */
export type BillingSettingsEvent = DomainEvent<
  'BillingSettingsChanged',
  { workspaceId: string } & Partial<BillingSettings>
>;

export const billingSettingsEvents: EventCatalog<BillingSettingsEvent> = { BillingSettingsChanged: v1 };

export interface ChangeSettings {
  type: 'ChangeBillingSettings';
  workspaceId: string;
  changes: Partial<BillingSettings>;
}

/** A workspace's settings, with all present and former prefixes of its document numbers. */
export interface BillingSettingsState {
  settings: BillingSettings;
  prefixes: Record<'invoice' | 'creditNote', readonly string[]>;
}

const initialState: BillingSettingsState = {
  settings: BILLING_DEFAULTS,
  prefixes: {
    invoice: [BILLING_DEFAULTS.invoiceNumberPrefix],
    creditNote: [BILLING_DEFAULTS.creditNoteNumberPrefix],
  },
};

/** Decides changes of a workspace's settings. Their stream is `billingSettings-acc_…`. */
export const billingSettingsDecider = defineDecider<
  BillingSettingsState,
  ChangeSettings,
  BillingSettingsEvent
>({
  category: 'billingSettings',
  events: billingSettingsEvents,
  decide({ workspaceId, changes }, { settings, prefixes } = initialState) {
    const changed: Partial<BillingSettings> = Object.fromEntries(
      Object.entries(changes).filter(
        ([name, value]) =>
          value !== undefined && !isDeepStrictEqual(settings[name as keyof BillingSettings], value),
      ),
    );
    if (Object.keys(changed).length === 0) return [];
    const next = { ...settings, ...changed };
    if (changed.logo) requireLogo(changed.logo);
    requirePrefixesApart(changed, prefixes);
    if (next.eInvoicing !== 'none') requireIdentified(next.seller, changes);
    return [{ type: 'BillingSettingsChanged', data: { workspaceId, ...changed } }];
  },
  evolve({ settings, prefixes } = initialState, { data: { workspaceId: _, ...changes } }) {
    const { invoiceNumberPrefix, creditNoteNumberPrefix } = changes;
    return {
      settings: { ...settings, ...changes },
      prefixes: {
        invoice: withPrefix(prefixes.invoice, invoiceNumberPrefix),
        creditNote: withPrefix(prefixes.creditNote, creditNoteNumberPrefix),
      },
    };
  },
});

function withPrefix(prefixes: readonly string[], prefix: string | undefined): readonly string[] {
  return prefix === undefined || prefixes.includes(prefix) ? prefixes : [...prefixes, prefix];
}

/**
 * Refuses a prefix that the other kind of document uses or used. Prefixes that differ only in case are also refused. Both sequences count
 * from 1, so equal prefixes would make equal numbers. Old prefixes count too, because an invoice keeps its prefixes for later credit notes.
 */
function requirePrefixesApart(
  { invoiceNumberPrefix: invoice, creditNoteNumberPrefix: creditNote }: Partial<BillingSettings>,
  prefixes: BillingSettingsState['prefixes'],
): void {
  const ofNotes = sameIgnoringCase(invoice, prefixes.creditNote);
  if (ofNotes !== undefined)
    throw InvalidRequest.field(
      'invoiceNumberPrefix',
      `must differ from ${ofNotes}, which numbers of credit notes begin with or have begun with, in more than its case`,
    );
  const ofInvoices = sameIgnoringCase(creditNote, [...prefixes.invoice, invoice]);
  if (ofInvoices !== undefined)
    throw InvalidRequest.field(
      'creditNoteNumberPrefix',
      `must differ from ${ofInvoices}, which numbers of invoices begin with or have begun with, in more than its case`,
    );
}

/** The prefix of the list that equals `prefix` if case is ignored; undefined if there is none. */
function sameIgnoringCase(
  prefix: string | undefined,
  among: readonly (string | undefined)[],
): string | undefined {
  return among.find((one) => one?.toUpperCase() === prefix?.toUpperCase() && prefix !== undefined);
}

/** Refuses e-invoices if the seller lacks a field that EN 16931 requires (BR-08, BR-CO-26). The error names the field of the request. */
function requireIdentified(seller: Seller | null, changes: Partial<BillingSettings>): void {
  const missing = missingOf(seller);
  if (missing === null) return;
  const needed = 'every e-invoice has the address of the seller, and a taxId or a registrationNumber';
  if (changes.seller === undefined)
    throw InvalidRequest.field('eInvoicing', `cannot be chosen without ${missing}: ${needed}`);
  throw InvalidRequest.field(missing, `is required unless eInvoicing is none: ${needed}`);
}

function missingOf(seller: Seller | null): string | null {
  if (seller === null) return 'seller';
  if (seller.address === null) return 'seller.address';
  return (seller.taxId ?? seller.registrationNumber) === null ? 'seller.taxId' : null;
}
