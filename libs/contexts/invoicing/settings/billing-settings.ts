import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Language } from '#libs/kernel/core';
import { defineDecider, v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import { BY_TIME, type ProrationBasis } from '#libs/rating';
import type { InvoiceNumberFormat } from './invoice-number.js';
import { requireLogo } from './logo/logo.js';
import type { EInvoicing, Seller } from './seller.js';

/** `time`: to the millisecond. `days`: whole days of the subscription's calendar. */
export const PRORATION_UNITS = ['time', 'days'] as const satisfies readonly ProrationBasis['unit'][];
export type ProrationUnit = (typeof PRORATION_UNITS)[number];

/** `subscription`: each has invoices of its own. `customer`: what falls due at one instant is on one. */
export const INVOICE_GROUPINGS = ['subscription', 'customer'] as const;
export type InvoiceGrouping = (typeof INVOICE_GROUPINGS)[number];

/** What documents are printed on: ISO A4 (210 × 297 mm) or US Letter (8.5 × 11 in). */
export const PAPER_SIZES = ['a4', 'letter'] as const;
export type PaperSize = (typeof PAPER_SIZES)[number];

/** How an invoice goes on by itself and what it is called, as the workspace had it when the invoice was created. */
export interface InvoiceSettings {
  /** Whether a draft is opened without anybody's approval. */
  autoApprove: boolean;
  /** Whether an open invoice is charged to the card on file. */
  autoCollect: boolean;
  /** Hours that a draft stays one before it is opened by itself; it is computed again then, with the usage that came meanwhile. */
  gracePeriodHours: number;
  /** Whether a draft that charges nothing is dropped (voided, without a number) instead of opened by itself. */
  skipZeroInvoices: boolean;
  /** Days from opening to the due date. */
  netDays: number;
  /** What shares of a period are counted in. */
  prorationBasis: ProrationUnit;
  /** What invoice numbers begin with: 1 to 10 letters and digits. */
  invoiceNumberPrefix: string;
  invoiceNumberFormat: InvoiceNumberFormat;
  /** What numbers of credit notes begin with: another than invoices'. */
  creditNoteNumberPrefix: string;
  /** What is printed at the foot of an invoice. */
  invoiceFooter: string | null;
  /** What its documents are written in. */
  language: Language;
  /** Absent: A4. */
  paperSize?: PaperSize;
  /** Null: only the workspace's name is known. */
  seller: Seller | null;
  eInvoicing: EInvoicing;
  /** Whose calendar documents and bookings are dated by (IANA); null, or absent: each customer's. */
  timezone?: string | null;
}

/** What a workspace has chosen for its invoices. */
export interface BillingSettings extends InvoiceSettings {
  /** Whether the subscriptions of a customer that fall due at one instant, in one currency, are on one invoice. */
  invoiceGrouping: InvoiceGrouping;
  /** Its own mark on every document: a `data:` address with a PNG or SVG; null: none. Documents have the present one, old ones too. */
  logo: string | null;
  /** The colour of lines and buttons on documents, as `#1a2b3c`; null: ours. The present one, as with the logo. */
  brandColor: string | null;
  /** The taxes of customers that have none of their own. An invoice keeps the rates themselves. */
  defaultTaxRateIds: string[];
}

/** The settings of a workspace that has chosen none. The one place that says so. */
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

/** How a workspace's documents look. */
export type Brand = Pick<BillingSettings, 'logo' | 'brandColor'>;

/** The brand of a workspace that has none. */
export const NO_BRAND: Brand = { logo: null, brandColor: null };

/** What shares of a subscription's periods are counted in; days are of the calendar that cuts them. */
export function prorationBasisOf(
  { prorationBasis }: Pick<BillingSettings, 'prorationBasis'>,
  { timezone }: { readonly timezone: string },
): ProrationBasis {
  return prorationBasis === 'time' ? BY_TIME : { unit: 'days', timezone };
}

/** Carries what was changed alone. */
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

/** A workspace's settings, and what its numbers begin with or have begun with. */
export interface SettingsSoFar {
  settings: BillingSettings;
  prefixes: Record<'invoice' | 'creditNote', readonly string[]>;
}

const initialState: SettingsSoFar = {
  settings: BILLING_DEFAULTS,
  prefixes: {
    invoice: [BILLING_DEFAULTS.invoiceNumberPrefix],
    creditNote: [BILLING_DEFAULTS.creditNoteNumberPrefix],
  },
};

/** A workspace's settings. Their stream is `billingSettings-acc_…`. */
export const billingSettingsDecider = defineDecider<SettingsSoFar, ChangeSettings, BillingSettingsEvent>({
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
 * Refuses a prefix that numbers of the other kind have had, also if it differs in case alone. Both sequences count alike, and an invoice
 * keeps its prefixes for later credit notes.
 */
function requirePrefixesApart(
  { invoiceNumberPrefix: invoice, creditNoteNumberPrefix: creditNote }: Partial<BillingSettings>,
  prefixes: SettingsSoFar['prefixes'],
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

/** The prefix among these that is the same but for its case; undefined if none is. */
function sameIgnoringCase(
  prefix: string | undefined,
  among: readonly (string | undefined)[],
): string | undefined {
  return among.find((one) => one?.toUpperCase() === prefix?.toUpperCase() && prefix !== undefined);
}

/** Refuses e-invoices of a seller who lacks what EN 16931 wants of each (BR-08, BR-CO-26); names what was asked for that led to it. */
function requireIdentified(seller: Seller | null, changes: Partial<BillingSettings>): void {
  const missing = missingOf(seller);
  if (missing === null) return;
  const needed = 'every e-invoice has the address of the seller, and a taxId or a registrationNumber';
  if (changes.seller === undefined)
    throw InvalidRequest.field('eInvoicing', `cannot be chosen without ${missing}: ${needed}`);
  throw InvalidRequest.field(missing, `must be there unless eInvoicing is none: ${needed}`);
}

function missingOf(seller: Seller | null): string | null {
  if (seller === null) return 'seller';
  if (seller.address === null) return 'seller.address';
  return (seller.taxId ?? seller.registrationNumber) === null ? 'seller.taxId' : null;
}
