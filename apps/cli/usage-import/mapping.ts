import { createHash } from 'node:crypto';
import { jsonNumber, parsePreciseInstant } from '#libs/kernel/core';
import { CliError } from '../cli-error.js';

/**
 * The options that map the rows of a file to usage events: a column for each field, or one value for all rows. A field without an option is
 * found by its column name. If a CSV file has no column for the customer, the event name or, without `now`, the time, it is refused. An
 * NDJSON file takes only `customer`, `event` and `source`, and is refused with another option.
 */
export interface MappingOptions {
  /** The customer of every row, instead of a column with the customer. */
  customer?: string;
  customerColumn?: string;
  /** The event name of every row, instead of a column with the event name. */
  event?: string;
  eventColumn?: string;
  timestampColumn?: string;
  /** Tells whether all rows of a CSV file get the workspace's present time. A time column then becomes a property. */
  now?: boolean;
  keyColumn?: string;
  /**
   * Properties as `name=column`, with an optional type `:number` or `:string`. By default, every column that has no other use is a
   * property. With `:number` and without a type, a text that is a JSON number is sent as a number, and any other text as a string.
   */
  properties?: string[];
  /** What separates the columns of a CSV file. A comma by default. */
  separator?: Separator;
  /** A text that identifies this file. The text is part of the idempotency keys that are generated for rows without a key. */
  source: string;
}

/** The characters that can separate the columns of a CSV file, by the name that `--separator` takes. */
export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Separator = keyof typeof SEPARATORS;

/** Reads the value of `--separator`. Throws a {@link CliError} that lists the names. */
export function separatorNamed(name: string): Separator {
  if (Object.hasOwn(SEPARATORS, name)) return name as Separator;
  throw new CliError(`--separator "${name}" must be one of ${Object.keys(SEPARATORS).join(', ')}`);
}

/** A usage event as `POST /v1/events` accepts it. */
export interface UsageEventToImport {
  customerId?: unknown;
  eventName?: unknown;
  timestamp?: unknown;
  idempotencyKey?: unknown;
  properties: Record<string, unknown>;
}

/** Converts a row to an event. If the row has no idempotency key, its row number, counted from 1, becomes part of the generated key. */
export type RowMapping = (fields: readonly string[], row: number) => UsageEventToImport;

type ValueKind = 'number' | 'string' | 'guess';
interface PropertyMapping {
  name: string;
  index: number;
  kind: ValueKind;
}

/** The options that have an effect for CSV files only. */
const CSV_OPTIONS: readonly (readonly [name: string, key: keyof MappingOptions])[] = [
  ['--customer-column', 'customerColumn'],
  ['--event-column', 'eventColumn'],
  ['--timestamp-column', 'timestampColumn'],
  ['--now', 'now'],
  ['--key-column', 'keyColumn'],
  ['--property', 'properties'],
  ['--separator', 'separator'],
];

const CUSTOMER_NAMES = ['customerid', 'customer_id', 'customer'];
const EVENT_NAMES = ['eventname', 'event_name', 'event'];
const TIMESTAMP_NAMES = ['timestamp', 'time', 'ts', 'datetime', 'date'];
const KEY_NAMES = ['idempotencykey', 'idempotency_key'];

/**
 * Returns the mapping from the rows of a CSV file with this header to events. Throws a {@link CliError} that names a missing column, a column
 * that is named twice, the separator that the header seems to have, or two options that exclude each other.
 */
export function csvMapping(header: readonly string[], options: MappingOptions): RowMapping {
  requireOneOf('--customer', options.customer, '--customer-column', options.customerColumn);
  requireOneOf('--event', options.event, '--event-column', options.eventColumn);
  requireOneOf('--now', options.now, '--timestamp-column', options.timestampColumn);
  requireSeparatedColumns(header, options.separator ?? 'comma');
  requireDifferentNames(header);
  const named = (column: string): number => {
    const index = header.indexOf(column);
    if (index < 0) throw new CliError(`There is no column "${column}"; the file has ${header.join(', ')}`);
    return index;
  };
  const found = (names: string[]): number | undefined => {
    const index = header.findIndex((column) => names.includes(column.trim().toLowerCase()));
    return index < 0 ? undefined : index;
  };
  const column = (given: string | undefined, names: string[]): number | undefined =>
    given === undefined ? found(names) : named(given);

  const customer =
    options.customer === undefined ? column(options.customerColumn, CUSTOMER_NAMES) : undefined;
  const event = options.event === undefined ? column(options.eventColumn, EVENT_NAMES) : undefined;
  const timestamp = options.now ? undefined : column(options.timestampColumn, TIMESTAMP_NAMES);
  const key = column(options.keyColumn, KEY_NAMES);
  if (options.customer === undefined && customer === undefined)
    throw new CliError('The customer is missing: give --customer <id>, or --customer-column <column>');
  if (options.event === undefined && event === undefined)
    throw new CliError('The event name is missing: give --event <name>, or --event-column <column>');
  if (!options.now && timestamp === undefined)
    throw new CliError(
      `The time is missing: no column is called ${TIMESTAMP_NAMES.join(', ')}; give --timestamp-column <column>, ` +
        "or --now to count the rows at the workspace's present time",
    );
  const taken = new Set([customer, event, timestamp, key]);
  const properties: PropertyMapping[] =
    options.properties?.map((text) => propertyOf(text, named)) ??
    header
      .map((name, index): PropertyMapping => ({ name, index, kind: 'guess' }))
      .filter(({ name, index }) => name !== '' && !taken.has(index));

  return (fields, row) =>
    withKey(key === undefined ? '' : fields[key], options.source, row, fields, {
      customerId: customer === undefined ? options.customer : fields[customer],
      eventName: event === undefined ? options.event : fields[event],
      ...(timestamp === undefined ? {} : { timestamp: timestampOf(fields[timestamp] ?? '') }),
      properties: Object.fromEntries(
        properties
          .filter(({ index }) => (fields[index] ?? '') !== '')
          .map(({ name, index, kind }) => [name, propertyValue(fields[index]!, kind)]),
      ),
    });
}

/**
 * Returns the function that converts a line of an NDJSON file to an event. The line has the fields of the API. The options override
 * fields of the line, for every row. Throws a {@link CliError} that names an option for CSV files.
 */
export function jsonMapping(
  options: MappingOptions,
): (event: UsageEventToImport, line: string, row: number) => UsageEventToImport {
  const unused = CSV_OPTIONS.find(([, key]) => options[key] !== undefined);
  if (unused)
    throw new CliError(
      `${unused[0]} is for .csv files only; leave it out, and name the fields of each line as POST /v1/events does`,
    );
  return (event, line, row) =>
    withKey(event.idempotencyKey, options.source, row, [line], {
      ...event,
      ...(options.customer === undefined ? {} : { customerId: options.customer }),
      ...(options.event === undefined ? {} : { eventName: options.event }),
      ...(typeof event.timestamp === 'string' ? { timestamp: timestampOf(event.timestamp) } : {}),
    });
}

/** Throws a {@link CliError} that names the separator if the header is one column only because another character separates the columns. */
function requireSeparatedColumns(header: readonly string[], used: Separator): void {
  const [first = ''] = header;
  const other = Object.entries(SEPARATORS).find(([, character]) => first.includes(character));
  if (header.length > 1 || !other) return;
  throw new CliError(
    `The header has one column, ${JSON.stringify(first)}, so another character than a ${used} seems to separate the columns; ` +
      `give --separator ${other[0]}`,
  );
}

/** Throws a {@link CliError} if two columns have the same name. One of the two would have no effect. Columns without a name may be many. */
function requireDifferentNames(header: readonly string[]): void {
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) < index);
  if (twice !== undefined)
    throw new CliError(`The column "${twice}" is in the header twice; give each column a name of its own`);
}

/** Throws a {@link CliError} if both of two options are given. One of them would have no effect. */
export function requireOneOf(name: string, value: unknown, otherName: string, otherValue: unknown): void {
  if (value !== undefined && otherValue !== undefined)
    throw new CliError(`${name} and ${otherName} exclude each other; give one of them`);
}

/**
 * Adds the idempotency key to an event. The key is the row's own key, or a key that is generated from the source, the row's number, the
 * customer, the event name and the row's content. A second import with the same source therefore counts no unchanged row twice, even after
 * rows were added at the end of the file. A row that has moved is counted again. Equal rows without keys remain different events. If a file
 * without keys is imported once for each of two customers or event names, each row becomes two events. Rows with keys of their own are
 * counted once, even if the file is imported for two customers or event names.
 */
function withKey(
  given: unknown,
  source: string,
  row: number,
  fields: readonly string[],
  event: Omit<UsageEventToImport, 'idempotencyKey'>,
): UsageEventToImport {
  const madeOf = [source, row, event.customerId, event.eventName, ...fields];
  const key = createHash('sha256').update(JSON.stringify(madeOf)).digest('base64url');
  return {
    ...event,
    idempotencyKey: given === undefined || given === null || given === '' ? `import-${key}` : given,
  };
}

/**
 * Reads a timestamp. A time of day without an offset is in UTC. An invalid timestamp is sent unchanged, and the API rejects it with the
 * reason.
 */
function timestampOf(text: string): string {
  return parsePreciseInstant(text) ?? parsePreciseInstant(`${text.trim()}Z`) ?? text;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Converts a text to a property value. Numbers keep all their digits. Texts such as `007` or `1e3` remain strings, also for `number`. */
function propertyValue(text: string, kind: ValueKind): unknown {
  const trimmed = text.trim();
  return kind !== 'string' && JSON_NUMBER.test(trimmed) ? jsonNumber(trimmed) : text;
}

function propertyOf(text: string, named: (column: string) => number): PropertyMapping {
  const match = /^([^=]+)=(.+?)(?::(number|string))?$/.exec(text);
  if (!match)
    throw new CliError(`--property "${text}" must be name=column, name=column:number or name=column:string`);
  return { name: match[1]!, index: named(match[2]!), kind: (match[3] as ValueKind | undefined) ?? 'guess' };
}
