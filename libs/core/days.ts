import type { Instant } from './clock.js';

/** By time zone: making one takes longer than what it is asked for. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a time zone (IANA): `2026-01-31`. */
export function dayIn(timeZone: string, instant: Instant | number): string {
  if (timeZone === 'UTC' && typeof instant === 'string') return instant.slice(0, 10);
  let format = formats.get(timeZone);
  if (!format) {
    // Swedish dates are ISO dates.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    formats.set(timeZone, format);
  }
  return format.format(new Date(instant));
}
