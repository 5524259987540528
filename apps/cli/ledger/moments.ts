import { parseMoment, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import type { Position } from '#libs/kernel/domain';
import { isDate, latestOn, type BookMoment } from '#libs/contexts/ledger';
import { CliError } from '../cli-error.js';
import { countText } from './amounts.js';
import { TIME_FORMS, UNTIL_FORMS } from './options.js';
import type { ReadLog } from './workspace-log.js';

/** A moment of the ledger: by the workspace's clock or the date of bookings, or by the last event that counts. */
export type Until = { readonly moment: BookMoment } | { readonly position: Position };

/** Reads `--until`: digits are a position in the event log, everything else is a time; a date counts up to its end. */
export function parseUntil(text: string): Until {
  if (/^\d{1,19}$/.test(text)) return { position: BigInt(text) };
  return { moment: parseGiven('--until', text, UNTIL_FORMS) };
}

/** Reads `--from` and `--to`: a stretch of time, half open. Throws a {@link CliError} if it is none. */
export function parsePeriod(given: { from?: string; to?: string }): { from?: BookMoment; to?: BookMoment } {
  const from = given.from === undefined ? undefined : parseGiven('--from', given.from, TIME_FORMS);
  const to = given.to === undefined ? undefined : parseGiven('--to', given.to, TIME_FORMS);
  if (from !== undefined && to !== undefined && from >= to)
    throw new CliError(`--to ${to} must come after --from ${from}`);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** Reads the moment that an option gives: an instant in UTC, or a date. Throws a {@link CliError} if it is none. */
function parseGiven(option: string, text: string, forms: string): BookMoment {
  const moment = parseMoment(text);
  if (moment === undefined) throw new CliError(`${option} "${text}" must be ${forms}`);
  return moment;
}

/**
 * The last instant that the books can tell of: the one that is wanted (of a date, the last that is on it anywhere), or the present. A
 * live workspace's clock is the world's, and what is to come is in no books yet. How far a sandbox's clock was moved stands in no
 * event, so its present is taken to be the time of its last event.
 */
export function lastInstant({ isSandbox, latest }: ReadLog, wanted: BookMoment | undefined): Instant {
  const asked = wanted === undefined || !isDate(wanted) ? wanted : latestOn(wanted);
  if (isSandbox) return asked ?? latest;
  const now = systemClock.now();
  return asked === undefined || asked > now ? now : asked;
}

/** What books of a sandbox have that is later than its last event: what is earned as time passes, if nothing else happens. */
export function aheadText(transactions: number, { latest }: ReadLog): string {
  const these = transactions === 1 ? '1 transaction is' : `${countText(transactions)} transactions are`;
  return `${these} later than the last event, of ${latest}: they are still to come if the clock has not passed them`;
}
