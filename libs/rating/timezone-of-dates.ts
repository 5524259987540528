/**
 * The time zone for the dates of an invoice and its credit notes: the dates of issue, due date, payment and booking. It is the workspace's
 * `timezone` setting when the invoice was created. Without that setting, it is the customer's time zone. Periods always use the customer's
 * time zone.
 */
export function timezoneOfDates({ timezone, settings }: InvoiceTimezones): string {
  return settings.timezone ?? timezone;
}

/** The two time zones of an invoice: the customer's, and the workspace's if it has one. */
export interface InvoiceTimezones {
  readonly timezone: string;
  readonly settings: { readonly timezone?: string | null };
}
