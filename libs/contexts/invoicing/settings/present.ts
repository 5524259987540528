import type { BillingSettings } from './events.js';

/** Converts a workspace's settings to their form in the API. */
export function presentBillingSettings(settings: BillingSettings) {
  return {
    autoApprove: settings.autoApprove,
    autoCollect: settings.autoCollect,
    gracePeriodHours: settings.gracePeriodHours,
    skipZeroInvoices: settings.skipZeroInvoices,
    entitledWhilePastDue: settings.entitledWhilePastDue,
    netDays: settings.netDays,
    prorationBasis: settings.prorationBasis,
    invoiceNumberPrefix: settings.invoiceNumberPrefix,
    invoiceNumberFormat: settings.invoiceNumberFormat,
    creditNoteNumberPrefix: settings.creditNoteNumberPrefix,
    invoiceFooter: settings.invoiceFooter,
    language: settings.language,
    paperSize: settings.paperSize ?? 'a4',
    invoiceGrouping: settings.invoiceGrouping,
    balancePaysOpenInvoices: settings.balancePaysOpenInvoices,
    seller: settings.seller,
    eInvoicing: settings.eInvoicing,
    logo: settings.logo,
    brandColor: settings.brandColor,
    timezone: settings.timezone ?? null,
    defaultTaxRateIds: settings.defaultTaxRateIds,
    customerEmails: settings.customerEmails,
    emailSenderName: settings.emailSenderName,
    emailReplyTo: settings.emailReplyTo,
    sandboxEmailAllowlist: settings.sandboxEmailAllowlist,
  };
}
