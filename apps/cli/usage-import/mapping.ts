import { createHash } from 'node:crypto';
import { jsonNumber, parsePreciseInstant } from '#libs/kernel/core';
import { CliError } from '../cli-error.js';

/** Which columns are which fields. What is left out is found by the column's name, or not sent. */
export interface MappingOptions {
  /** The customer of every row, in place of a column. */
  customer?: string;
  customerColumn?: string;
  /** The event name of every row, in place of a column. */
  event?: string;
  eventColumn?: string;
  timestampColumn?: string;
  /** The rows have no time of their own: they count at the workspace's present time. */
  now?: boolean;
  keyColumn?: string;
  /** `name=column`, with `:number` or `:string` behind it to say how it is read. Default: every other column. */
  properties?: string[];
  /** Tells this file from others: part of the keys that are made for rows without one. */
  source: string;
}

/** A usage event as `POST /v1/events` takes it. */
export interface UsageEvent {
  customerId?: unknown;
  eventName?: unknown;
  timestamp?: unknown;
  idempotencyKey?: unknown;
  properties: Record<string, unknown>;
}

/** Makes an event of a row. The row's number, from 1, goes into the key of a row that has none of its own. */
export type RowMapping = (fields: readonly string[], row: number) => UsageEvent;

type Kind = 'number' | 'string' | 'guess';
interface Property {
  name: string;
  index: number;
  kind: Kind;
}

const CUSTOMER_NAMES = ['customerid', 'customer_id', 'customer'];
const EVENT_NAMES = ['eventname', 'event_name', 'event'];
const TIMESTAMP_NAMES = ['timestamp', 'time', 'ts', 'datetime', 'date'];
const KEY_NAMES = ['idempotencykey', 'idempotency_key'];

/** How the rows of a CSV file with this header become events. Throws a {@link CliError} that names what is missing. */
export function csvMapping(header: readonly string[], options: MappingOptions): RowMapping {
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
  if (options.now && options.timestampColumn !== undefined)
    throw new CliError('--now and --timestamp-column exclude each other; give one of them');
  const timestamp = options.now ? undefined : column(options.timestampColumn, TIMESTAMP_NAMES);
  const key = column(options.keyColumn, KEY_NAMES);
  if (options.customer === undefined && customer === undefined)
    throw new CliError('Whose usage is it? Give --customer <id>, or --customer-column <column>');
  if (options.event === undefined && event === undefined)
    throw new CliError('What is it called? Give --event <name>, or --event-column <column>');
  if (!options.now && timestamp === undefined)
    throw new CliError(
      `When was it? No column is called ${TIMESTAMP_NAMES.join(', ')}; give --timestamp-column <column>, ` +
        "or --now to count the rows at the workspace's present time",
    );
  const taken = new Set([customer, event, timestamp, key]);
  const properties: Property[] =
    options.properties?.map((text) => propertyOf(text, named)) ??
    header
      .map((name, index): Property => ({ name, index, kind: 'guess' }))
      .filter(({ index }) => !taken.has(index));

  return (fields, row) =>
    withKey(key === undefined ? '' : fields[key], options.source, row, fields, {
      customerId: customer === undefined ? options.customer : fields[customer],
      eventName: event === undefined ? options.event : fields[event],
      ...(timestamp === undefined ? {} : { timestamp: timestampOf(fields[timestamp] ?? '') }),
      properties: Object.fromEntries(
        properties
          .filter(({ index }) => (fields[index] ?? '') !== '')
          .map(({ name, index, kind }) => [name, valueOf(fields[index]!, kind)]),
      ),
    });
}

/** A line of an NDJSON file as an event: the API's own fields, under what the options say for every row. */
export function jsonMapping(
  options: MappingOptions,
): (event: UsageEvent, line: string, row: number) => UsageEvent {
  return (event, line, row) =>
    withKey(event.idempotencyKey, options.source, row, [line], {
      ...event,
      ...(options.customer === undefined ? {} : { customerId: options.customer }),
      ...(options.event === undefined ? {} : { eventName: options.event }),
      ...(typeof event.timestamp === 'string' ? { timestamp: timestampOf(event.timestamp) } : {}),
    });
}

/**
 * The event with its row's own key, or with one made from the row. The same row of the same file always gets the same
 * key: importing it again, also after rows were added at its end or mended, counts nothing twice, while equal rows of
 * one file stay different events, and so does one row that is imported for two customers or under two names.
 */
function withKey(
  given: unknown,
  source: string,
  row: number,
  fields: readonly string[],
  event: Omit<UsageEvent, 'idempotencyKey'>,
): UsageEvent {
  const madeOf = [source, row, event.customerId, event.eventName, ...fields];
  const key = createHash('sha256').update(JSON.stringify(madeOf)).digest('base64url');
  return {
    ...event,
    idempotencyKey: given === undefined || given === null || given === '' ? `import-${key}` : given,
  };
}

/** A timestamp without an offset is taken as UTC. One that is none is sent as it is, and refused with its reason. */
function timestampOf(text: string): string {
  return parsePreciseInstant(text) ?? parsePreciseInstant(`${text.trim()}Z`) ?? text;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Numbers are sent digit by digit as they stand; `007` is not a number. */
function valueOf(text: string, kind: Kind): unknown {
  const trimmed = text.trim();
  return kind !== 'string' && JSON_NUMBER.test(trimmed) ? jsonNumber(trimmed) : text;
}

function propertyOf(text: string, named: (column: string) => number): Property {
  const match = /^([^=]+)=(.+?)(?::(number|string))?$/.exec(text);
  if (!match)
    throw new CliError(`--property "${text}" must be name=column, name=column:number or name=column:string`);
  return { name: match[1]!, index: named(match[2]!), kind: (match[3] as Kind | undefined) ?? 'guess' };
}
