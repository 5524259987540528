import type { Position } from '#libs/kernel/domain';

/** Something that is not as the event log has it. */
export interface Difference {
  /** Where in the log the event stands that it is about; undefined if it is about no event. */
  readonly position: Position | undefined;
  /** What differs, such as `invoice inv_1 of acc_1`. */
  readonly subject: string;
  /** In which way. */
  readonly problem: string;
}

/** A value of a field that is another than the one expected. */
export interface FieldDifference {
  /** Such as `settings.netDays` or `lines[0].amount`. */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const MAX_NAMED = 5;
const MAX_VALUE = 60;

/** The fields in which two values differ as JSON. */
export function fieldDifferences(expected: unknown, found: unknown): FieldDifference[] {
  return differencesAt('', plain(expected), plain(found));
}

/** `total is "9.00" and must be "10.00"`, for each of the first few. Values of the `secret` fields are left out. */
export function differencesText(
  differences: readonly FieldDifference[],
  secret: readonly string[] = [],
): string {
  const named = differences.slice(0, MAX_NAMED).map(({ path, expected, found }) => {
    if (secret.some((field) => path === field || path.endsWith(`.${field}`))) return `${path} is another`;
    return `${path} is ${valueText(found)} and must be ${valueText(expected)}`;
  });
  const more = differences.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more fields`] : [])].join('; ');
}

/** A value as people read it: its JSON, cut short; `missing` if there is none. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function differencesAt(path: string, expected: unknown, found: unknown): FieldDifference[] {
  if (!isNested(expected) || !isNested(found) || Array.isArray(expected) !== Array.isArray(found))
    return Object.is(expected, found) ? [] : [{ path, expected, found }];
  const isList = Array.isArray(expected);
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) => differencesAt(pathOf(path, name, isList), expected[name], found[name]));
}

function pathOf(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Without what JSON does not keep, such as fields that are undefined. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
