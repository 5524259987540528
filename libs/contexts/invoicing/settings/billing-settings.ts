import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { PRORATION_BY_TIME, type ProrationBasis } from '#libs/rating';
import { billingSettingsEvents, type BillingSettings, type BillingSettingsEvent } from './events.js';
import { isQrIban } from './bank-account.js';
import { requireAcceptableLogo } from './logo/logo.js';
import type { Seller } from './seller.js';

/** The default settings of a workspace. */
export const BILLING_DEFAULTS: BillingSettings = {
  autoApprove: true,
  autoCollect: true,
  gracePeriodHours: 0,
  skipZeroInvoices: false,
  entitledWhilePastDue: true,
  netDays: 30,
  prorationBasis: 'time',
  invoiceNumberPrefix: 'INV',
  invoiceNumberFormat: 'prefix-number',
  creditNoteNumberPrefix: 'CN',
  invoiceFooter: null,
  language: 'en',
  printZeroLines: false,
  carrySmallAmounts: false,
  qrBillLanguage: null,
  paperSize: 'a4',
  balancePaysOpenInvoices: true,
  invoiceGrouping: 'subscription',
  seller: null,
  eInvoicing: 'none',
  timezone: null,
  logo: null,
  brandColor: null,
  defaultTaxRateIds: [],
  customerEmails: ['invoice', 'receipt', 'payment_failed', 'credit_note'],
  emailSenderName: null,
  emailReplyTo: null,
  sandboxEmailAllowlist: [],
};

/** The logo and the colour of a workspace's documents. */
export type DocumentBrand = Pick<BillingSettings, 'logo' | 'brandColor'>;

/** The brand of a workspace that has set neither a logo nor a colour. */
export const DEFAULT_BRAND: DocumentBrand = { logo: null, brandColor: null };

/** The unit in which proration measures a part of a subscription's period. Days are calendar days in the subscription's time zone. */
export function prorationBasisOf(
  { prorationBasis }: Pick<BillingSettings, 'prorationBasis'>,
  { timezone }: { readonly timezone: string },
): ProrationBasis {
  return prorationBasis === 'time' ? PRORATION_BY_TIME : { unit: 'days', timezone };
}

export interface BillingSettingsCommand {
  type: 'ChangeBillingSettings';
  workspaceId: string;
  changes: Partial<BillingSettings>;
}

/** A workspace's settings, with all present and former prefixes of its document numbers. */
export interface BillingSettingsState {
  settings: BillingSettings;
  prefixes: Record<'invoice' | 'creditNote', readonly string[]>;
}

export const initialState: BillingSettingsState = {
  settings: BILLING_DEFAULTS,
  prefixes: {
    invoice: [BILLING_DEFAULTS.invoiceNumberPrefix],
    creditNote: [BILLING_DEFAULTS.creditNoteNumberPrefix],
  },
};

/** Decides changes of a workspace's settings. The stream of the settings is `billingSettings-acc_…`. */
export const billingSettingsDecider = defineDecider<
  BillingSettingsState,
  BillingSettingsCommand,
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
    if (changed.logo) requireAcceptableLogo(changed.logo);
    requirePrefixesApart(changed, prefixes);
    if (next.eInvoicing !== 'none') requireEInvoiceSeller(next.seller, changes);
    if (changed.seller) requireQrBillSeller(changed.seller);
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
 * Refuses an invoice prefix that credit notes use or used, and a credit note prefix that invoices use or used. Prefixes that differ only in
 * case are also refused. Invoices and credit notes both count from 1, so equal prefixes would make equal document numbers. Former prefixes
 * are checked too, because an invoice keeps its prefixes for later credit notes.
 */
function requirePrefixesApart(
  { invoiceNumberPrefix: invoice, creditNoteNumberPrefix: creditNote }: Partial<BillingSettings>,
  prefixes: BillingSettingsState['prefixes'],
): void {
  const ofNotes = findEqualPrefix(invoice, prefixes.creditNote);
  if (ofNotes !== undefined)
    throw InvalidRequest.field(
      'invoiceNumberPrefix',
      `must differ from ${ofNotes}, which numbers of credit notes begin with or have begun with, in more than its case`,
    );
  const ofInvoices = findEqualPrefix(creditNote, [...prefixes.invoice, invoice]);
  if (ofInvoices !== undefined)
    throw InvalidRequest.field(
      'creditNoteNumberPrefix',
      `must differ from ${ofInvoices}, which numbers of invoices begin with or have begun with, in more than its case`,
    );
}

/** Returns the prefix of the list that equals `prefix` if case is ignored. Undefined if no prefix of the list is equal to `prefix`. */
function findEqualPrefix(
  prefix: string | undefined,
  among: readonly (string | undefined)[],
): string | undefined {
  return among.find((one) => one?.toUpperCase() === prefix?.toUpperCase() && prefix !== undefined);
}

/** Refuses e-invoices if the seller lacks a field that EN 16931 requires (BR-08, BR-S-02, BR-CO-26). The error names the field of the request. */
function requireEInvoiceSeller(seller: Seller | null, changes: Partial<BillingSettings>): void {
  const missing = missingSellerField(seller);
  if (missing === null) return;
  const needed =
    'every e-invoice has the address of the seller, and a taxId, a taxNumber or a registrationNumber';
  if (changes.seller === undefined)
    throw InvalidRequest.field('eInvoicing', `cannot be chosen without ${missing}: ${needed}`);
  throw InvalidRequest.field(missing, `is required unless eInvoicing is none: ${needed}`);
}

/**
 * Refuses a QR-IBAN without what every QR-bill has, because banks take only QR-bills for a QR-IBAN (Swiss Implementation Guidelines for the
 * QR-bill, version 2.3). The error names the field of the request.
 */
function requireQrBillSeller({ bankAccount, address }: Seller): void {
  if (bankAccount === null || !isQrIban(bankAccount) || address?.postalCode) return;
  throw InvalidRequest.field(
    address === null ? 'seller.address' : 'seller.address.postalCode',
    'is required with a QR-IBAN: a QR-IBAN can only be paid by a QR-bill, and a QR-bill has the address of the seller',
  );
}

function missingSellerField(seller: Seller | null): string | null {
  if (seller === null) return 'seller';
  if (seller.address === null) return 'seller.address';
  return (seller.taxId ?? seller.taxNumber ?? seller.registrationNumber) === null ? 'seller.taxId' : null;
}
