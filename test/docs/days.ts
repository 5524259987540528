import { Temporal } from 'temporal-polyfill';
import type { Period } from '#libs/rating';

/*
 * Days as the examples write them: `1 Apr`, which is of 2026, or `1 Apr 2027`. Each is its first moment in UTC.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The instant of `1 Apr` or `1 Apr 2027`. */
export function instantOf(day: string): string {
  const [, date, month, year = '2026'] = /^(\d+) (\w+)(?: (\d+))?$/.exec(day)!;
  const when = Temporal.PlainDate.from({
    year: Number(year),
    month: MONTHS.indexOf(month!) + 1,
    day: Number(date),
  });
  return `${when.toString()}T00:00:00.000Z`;
}

/** The day of an instant, as an example writes it. */
export function dayOf(instant: string): string {
  const { day, month, year } = Temporal.PlainDate.from(instant.slice(0, 10));
  return `${day} ${MONTHS[month - 1]}${year === 2026 ? '' : ` ${year}`}`;
}

/** The stretch of time of `1 Apr to 1 May`. */
export function periodOf(text: string): Period {
  const [start, end] = text.split(' to ').map(instantOf) as [string, string];
  return { start, end };
}
