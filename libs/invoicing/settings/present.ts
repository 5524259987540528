import type { BillingSettings } from './billing-settings.js';

/** A workspace's settings as the API shows them. */
export function presentBillingSettings(settings: BillingSettings) {
  return {
    autoApprove: settings.autoApprove,
    autoCollect: settings.autoCollect,
    netDays: settings.netDays,
    invoiceNumberPrefix: settings.invoiceNumberPrefix,
    invoiceNumberFormat: settings.invoiceNumberFormat,
    invoiceFooter: settings.invoiceFooter,
    defaultTaxRateIds: settings.defaultTaxRateIds,
  };
}
