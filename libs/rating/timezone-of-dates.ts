/**
 * The time zone for the dates of an invoice and its credit notes: the due date, and the dates of issue, payment and booking. The time zone
 * is the workspace's `timezone` setting at the time when the invoice was created. Without the workspace setting, the dates are in the
 * customer's time zone. Periods always use the customer's time zone.
 */
export function timezoneOfDates({ timezone, settings }: InvoiceTimezones): string {
  return settings.timezone ?? timezone;
}

/** The two time zones of an invoice: the customer's, and the workspace's if it has one. */
export interface InvoiceTimezones {
  /** The customer's time zone. */
  readonly timezone: string;
  /** The settings of the workspace at the time when the invoice was created. */
  readonly settings: { readonly timezone?: string | null };
}
