/**
 * An instant as text: ISO 8601, UTC, always `YYYY-MM-DDTHH:mm:ss.sssZ`. Instants that are sorted as text are therefore in the order of
 * time.
 */
export type Instant = string;

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))$/;
const DATE_ONLY = /^(\d{4})-(\d{2})-(\d{2})$/;
const PLAIN = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/**
 * The years that are accepted. The last year is far below 9999, so instants that are computed from accepted ones, such as the end of a
 * later period, also have a four-digit year. With a five-digit year, the order of instants as text would differ from their order in time.
 * Postgres has no year 0.
 */
const [FIRST_YEAR, LAST_YEAR] = [1900, 2999];

/**
 * Reads an ISO 8601 timestamp with an offset or `Z`, and returns it in UTC with milliseconds. A date without a time is read as midnight
 * UTC. Returns undefined for other text, an impossible field (30 February), a missing offset, or a year before 1900 or after 2999. Digits
 * after the milliseconds are dropped; {@link parsePreciseInstant} keeps the microseconds.
 */
export function parseInstant(text: string): Instant | undefined {
  const precise = parsePreciseInstant(text);
  return precise === undefined ? undefined : cutToMillis(precise);
}

/** Like {@link parseInstant}, but a date without a time is returned unchanged, as a calendar day. */
export function parseInstantOrDate(text: string): string | undefined {
  const instant = parseInstant(text);
  return instant !== undefined && DATE_ONLY.test(text) ? text : instant;
}

/** Like {@link parseInstant}, but keeps microseconds, as usage events need: `…:ss.ssssssZ`. */
export function parsePreciseInstant(text: string): string | undefined {
  return PLAIN.test(text) && isPlainlyReal(text)
    ? `${text.slice(0, 19)}.${text.slice(20, -1).padEnd(6, '0').slice(0, 6)}Z`
    : readInstant(text);
}

/** Shortens a timestamp of {@link parsePreciseInstant} from microseconds to milliseconds. */
export function cutToMillis(precise: string): Instant {
  return `${precise.slice(0, 23)}Z`;
}

/**
 * Tells whether a UTC timestamp such as `2026-01-31T10:00:00Z` is valid, without a calendar. Returns false for a date that only a calendar
 * can check, such as the 31st of a month. Most usage events pass this test, so their timestamps need no complete parsing, which takes ten
 * times as long.
 */
function isPlainlyReal(text: string): boolean {
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || (day <= 30 && month !== 2)) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function readInstant(text: string): string | undefined {
  const date = DATE_ONLY.exec(text);
  const match = date ? null : RFC3339.exec(text);
  if (!date && !match) return undefined;
  const [, year, month, day] = (date ?? match)!.map(Number) as [number, number, number, number];
  const [hour, minute, second] = match
    ? [Number(match[4]), Number(match[5]), Number(match[6] ?? 0)]
    : [0, 0, 0];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, 0);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  const offsetHours = Number(match?.[10] ?? 0);
  const offsetMinutes = Number(match?.[11] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const sign = match?.[9] === '-' ? -1 : 1;
  const utc = new Date(local.getTime() - sign * (offsetHours * 60 + offsetMinutes) * 60_000);
  if (utc.getUTCFullYear() < FIRST_YEAR || utc.getUTCFullYear() > LAST_YEAR) return undefined;
  const micros = (match?.[7] ?? '').padEnd(6, '0').slice(0, 6);
  return `${utc.toISOString().slice(0, 19)}.${micros}Z`;
}

/** The milliseconds of an {@link Instant} since the Unix epoch. */
export function instantToMillis(instant: Instant): number {
  return Date.parse(instant);
}

/** The {@link Instant} of a number of milliseconds since the Unix epoch. */
export function instantFromMillis(millis: number): Instant {
  return new Date(millis).toISOString();
}

/** The instant that is `seconds` after `instant`. `seconds` may be negative, and may have three decimal places. */
export function addSeconds(instant: Instant, seconds: number): Instant {
  return instantFromMillis(instantToMillis(instant) + Math.trunc(seconds * 1000));
}

/** Returns the first moment after a range that ends with `until`: the next millisecond, or the next day after a date. */
export function firstMomentAfter(until: Instant): Instant;
export function firstMomentAfter(until: string | undefined): string | undefined;
export function firstMomentAfter(until: string | undefined): string | undefined {
  if (until === undefined) return undefined;
  const isDate = until.length === '2026-01-31'.length;
  return isDate ? addSeconds(`${until}T00:00:00.000Z`, 86_400).slice(0, 10) : addSeconds(until, 0.001);
}

/** The later of two instants. */
export function laterOf(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

export function earlierOf(a: Instant, b: Instant): Instant {
  return a < b ? a : b;
}
