import type { BillingSettings } from './events.js';
import type { Seller } from './seller.js';

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
    printZeroLines: settings.printZeroLines ?? false,
    carrySmallAmounts: settings.carrySmallAmounts ?? false,
    qrBillLanguage: settings.qrBillLanguage ?? null,
    paperSize: settings.paperSize ?? 'a4',
    invoiceGrouping: settings.invoiceGrouping,
    balancePaysOpenInvoices: settings.balancePaysOpenInvoices,
    seller: settings.seller && presentSeller(settings.seller),
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

function presentSeller(seller: Seller) {
  return {
    legalName: seller.legalName,
    address: seller.address,
    taxId: seller.taxId,
    taxNumber: seller.taxNumber ?? null,
    taxExemptReason: seller.taxExemptReason ?? null,
    registrationNumber: seller.registrationNumber,
    contactName: seller.contactName ?? null,
    email: seller.email,
    phone: seller.phone,
    electronicAddress: seller.electronicAddress ?? null,
    bankAccount: seller.bankAccount,
  };
}
