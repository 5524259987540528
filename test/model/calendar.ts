/** Instants are milliseconds since 1970, in UTC: all subscriptions of the model are in UTC. */
export type Moment = number;

export const SECOND = 1_000;
export const DAY = 86_400_000;

/** The same time of day so many months later; the last day of a month that is too short. */
export function addMonths(anchor: Moment, months: number): Moment {
  const from = new Date(anchor);
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const timeOfDay = anchor % DAY;
  return Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay)) + timeOfDay;
}

/** The period of so many months, counted from the anchor, that an instant from the anchor on lies in. */
export function periodAt(anchor: Moment, months: number, at: Moment): { from: Moment; to: Moment } {
  // Never too far: a month has at least 28 days less one that a short month has cut off.
  let count = Math.max(0, Math.floor((at - anchor) / (31 * DAY) / months) - 1);
  while (addMonths(anchor, (count + 1) * months) <= at) count += 1;
  return { from: addMonths(anchor, count * months), to: addMonths(anchor, (count + 1) * months) };
}

export function iso(at: Moment): string {
  return new Date(at).toISOString();
}
