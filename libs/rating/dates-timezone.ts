/**
 * The time zone for the dates of an invoice and its credit notes: issued, due, paid and booked. It is the workspace's `timezone` setting at
 * the time when the invoice was created, or else the customer's time zone. Periods are the customer's.
 */
export function datesTimezone({ timezone, settings }: InvoiceDates): string {
  return settings.timezone ?? timezone;
}

/** The two time zones of an invoice: the customer's, and the workspace's if it has chosen one. */
export interface InvoiceDates {
  readonly timezone: string;
  readonly settings: { readonly timezone?: string | null };
}
