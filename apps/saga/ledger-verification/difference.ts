/** A field whose value differs from the expected value. */
export interface FieldDifference {
  /** The path of the field, such as `settings.netDays` or `lines[0].amount`. */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const MAX_NAMED = 5;
const MAX_VALUE = 60;

/** Returns the fields in which the JSON forms of two values differ. */
export function fieldDifferences(expected: unknown, found: unknown): FieldDifference[] {
  return differencesAt('', withoutUndefinedFields(expected), withoutUndefinedFields(found));
}

/** Describes the first few differences, such as `total is "9.00" and must be "10.00"`. Values of `secret` fields are not shown. */
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

/** Returns the shortened JSON of a value, or `missing` if the value is undefined. */
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

/** Returns the value without parts that JSON does not keep, such as fields that are undefined. */
function withoutUndefinedFields(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
