import type { InvoiceDetails } from './events.js';

/**
 * Whose calendar says on which day an invoice and its credit notes are issued, due, paid and booked: the workspace's, if it has chosen
 * one (`timezone` of its settings, as it was when the invoice was created), else the customer's. Periods are the customer's.
 */
export function datesTimezone({ timezone, settings }: Pick<InvoiceDetails, 'timezone' | 'settings'>): string {
  return settings.timezone ?? timezone;
}
