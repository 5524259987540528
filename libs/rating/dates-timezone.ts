/**
 * Whose calendar says on which day an invoice and its credit notes are issued, due, paid and booked: the workspace's, if it has chosen
 * one (`timezone` of its settings, as it was when the invoice was created), else the customer's. Periods are the customer's.
 */
export function datesTimezone({ timezone, settings }: InvoiceDates): string {
  return settings.timezone ?? timezone;
}

/** The two time zones of an invoice: the customer's, and the workspace's if it has chosen one. */
export interface InvoiceDates {
  readonly timezone: string;
  readonly settings: { readonly timezone?: string | null };
}
