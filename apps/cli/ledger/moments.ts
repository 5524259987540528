import { parseInstant, parseLastInstant, systemClock, type Instant } from '#libs/core';
import type { Position } from '#libs/event-store';
import { CliError } from '../cli-error.js';
import { countText } from './amounts.js';
import { TIME_FORMS, UNTIL_FORMS } from './options.js';
import type { ReadLog } from './workspace-log.js';

/** A moment of the ledger: by the workspace's clock, or by the last event that counts. */
export type Until = { readonly time: Instant } | { readonly position: Position };

/** Reads `--until`: digits are a position in the event log, everything else is a time; a date counts up to its end. */
export function parseUntil(text: string): Until {
  if (/^\d{1,19}$/.test(text)) return { position: BigInt(text) };
  return { time: parseTime('--until', text, parseLastInstant) };
}

/** Reads `--from` and `--to`: a stretch of time, half open. Throws a {@link CliError} if it is none. */
export function parsePeriod(given: { from?: string; to?: string }): { from?: Instant; to?: Instant } {
  const from = given.from === undefined ? undefined : parseTime('--from', given.from);
  const to = given.to === undefined ? undefined : parseTime('--to', given.to);
  if (from !== undefined && to !== undefined && from >= to)
    throw new CliError(`--to ${to} must come after --from ${from}`);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** Reads the time that an option gives, in UTC. Throws a {@link CliError} if it is none. */
function parseTime(option: string, text: string, parse = parseInstant): Instant {
  const time = parse(text);
  if (time === undefined)
    throw new CliError(
      `${option} "${text}" must be ${parse === parseLastInstant ? UNTIL_FORMS : TIME_FORMS}`,
    );
  return time;
}

/**
 * The last moment that the books can tell of: the one that is wanted, or the present. A live workspace's clock is the
 * world's, and what is to come is in no books yet. How far a sandbox's clock was moved stands in no event, so its present
 * is taken to be the time of its last event.
 */
export function lastMoment({ isSandbox, latest }: ReadLog, wanted: Instant | undefined): Instant {
  if (isSandbox) return wanted ?? latest;
  const now = systemClock.now();
  return wanted === undefined || wanted > now ? now : wanted;
}

/** What books of a sandbox have that is later than its last event: what is earned as time passes, if nothing else happens. */
export function aheadText(transactions: number, { latest }: ReadLog): string {
  const these = transactions === 1 ? '1 transaction is' : `${countText(transactions)} transactions are`;
  return `${these} later than the last event, of ${latest}: they are still to come if the clock has not passed them`;
}
