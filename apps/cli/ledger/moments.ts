import { parseInstantOrDate, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import type { Position } from '#libs/kernel/domain';
import { addDays, isDateMoment, latestInstantOfDate, type ReportMoment } from '#libs/contexts/ledger';
import { CliError } from '../cli-error.js';
import { countText } from './amounts.js';
import { TIME_FORMS, UNTIL_FORMS } from './options.js';
import type { WorkspaceLogSummary } from './workspace-log.js';

/** The value of `--until`: an instant of the workspace's clock, a booking date, or the position of the last event to include. */
export type UntilOption = { readonly moment: ReportMoment } | { readonly position: Position };

/** Parses `--until`. A text of digits only is a position in the event log, and any other text is a time. A date includes the whole day. */
export function parseUntilOption(text: string): UntilOption {
  if (/^\d{1,19}$/.test(text)) return { position: BigInt(text) };
  return { moment: parseMomentOption('--until', text, UNTIL_FORMS) };
}

/**
 * Parses `--from` and `--to`, a half-open range of time. Throws a {@link CliError} if `from` or `to` is not a time, or if `to` is not after
 * `from`.
 */
export function parsePeriod(given: { from?: string; to?: string }): {
  from?: ReportMoment;
  to?: ReportMoment;
} {
  const from = given.from === undefined ? undefined : parseMomentOption('--from', given.from, TIME_FORMS);
  const to = given.to === undefined ? undefined : parseMomentOption('--to', given.to, TIME_FORMS);
  if (from !== undefined && to !== undefined && from >= to)
    throw new CliError(`--to ${to} must come after --from ${from}${from === to ? emptyPeriodHint(to) : ''}`);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** Says how to name the time that a user means who gives the same moment as start and end. */
function emptyPeriodHint(to: ReportMoment): string {
  const later = isDateMoment(to) ? `for this day alone, give --to ${addDays(to, 1)}` : 'give a later time';
  return `, because the end itself does not count; ${later}`;
}

/** Parses the value of a time option: an instant or a date. Throws a {@link CliError} if the text is neither an instant nor a date. */
function parseMomentOption(option: string, text: string, forms: string): ReportMoment {
  const moment = parseInstantOrDate(text);
  if (moment === undefined) throw new CliError(`${option} "${text}" must be ${forms}`);
  return moment;
}

/**
 * Returns the last instant that the books cover. The last instant is the wanted moment, or the present if no moment is wanted. A date means
 * the last instant that has this date in any time zone. The books of a live workspace end at the present at the latest, since its clock
 * shows the real time. The books of a sandbox can end at any wanted moment, because its events do not tell where its clock stands now. The
 * time of a sandbox's last event is treated as its present.
 */
export function lastInstantOfBooks(
  { isSandbox, latestWorkspaceInstant: latest }: WorkspaceLogSummary,
  wanted: ReportMoment | undefined,
): Instant {
  const asked = wanted === undefined || !isDateMoment(wanted) ? wanted : latestInstantOfDate(wanted);
  if (isSandbox) return asked ?? latest;
  const now = systemClock.now();
  return asked === undefined || asked > now ? now : asked;
}

/**
 * Returns a notice for sandbox books with transactions after the last event. The later transactions are revenue that is earned only as time
 * passes.
 */
export function futureTransactionsNotice(
  transactions: number,
  { latestWorkspaceInstant: latest }: WorkspaceLogSummary,
): string {
  const these = transactions === 1 ? '1 transaction is' : `${countText(transactions)} transactions are`;
  return `${these} later than the last event, of ${latest}: they have not happened yet if the workspace's clock is earlier`;
}
