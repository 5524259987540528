import { hash } from 'node:crypto';
import { ArrayLiteralBuilder } from './array-literal-builder.js';
import type { NumberedRow } from './log-name-numbers.js';
import type { UsageRow } from './usage-row.js';

/** Returns the arguments of the database function usage.append, in the order of its parameters. */
export function parametersOfAppend(rows: readonly NumberedRow[]): string[] {
  const streams: number[] = [];
  const series: number[] = [];
  const sources: number[] = [];
  const times: string[] = [];
  const ids: string[] = [];
  const keys = new ArrayLiteralBuilder();
  const digests: string[] = [];
  let properties = '';
  for (const { row, stream, series: serie, source } of rows) {
    streams.push(stream);
    series.push(serie);
    sources.push(source);
    times.push(row.timestamp);
    ids.push(row.id);
    if (row.idempotencyKey === undefined) keys.addNull();
    else keys.add(row.idempotencyKey);
    digests.push(keyDigestOf(row) ?? 'NULL');
    properties += `,${row.properties}`;
  }
  const plain = (values: Iterable<number | string>): string => `{${[...values].join(',')}}`;
  return [
    plain(streams),
    plain(series),
    plain(times),
    plain(ids),
    keys.toString(),
    plain(digests),
    plain(sources),
    `[${properties.slice(1)}]`,
  ];
}

/** Returns the digest of each row's idempotency key or derived key. The digest is undefined for a row without a key. */
export function idempotencyKeyDigestsOf(rows: readonly NumberedRow[]): (string | undefined)[] {
  return rows.map(({ row }) => keyDigestOf(row));
}

/**
 * Returns a digest of each row's content, as an array parameter. Rows without an idempotency key have none, because a derived key includes
 * the content.
 */
export function contentDigestsOf(rows: readonly NumberedRow[]): string {
  return `{${rows.map(({ row }) => contentDigest(row) ?? 'NULL').join(',')}}`;
}

/**
 * Returns a digest of what an event with an idempotency key charges: the customer, the event's name and the properties. The key is a part
 * of the hashed text, so the digest tells nothing about erased properties.
 */
export function contentDigest({
  workspaceId,
  idempotencyKey,
  customerId,
  eventName,
  properties,
}: Pick<UsageRow, 'workspaceId' | 'idempotencyKey' | 'customerId' | 'eventName' | 'properties'>):
  string | undefined {
  if (idempotencyKey === undefined) return undefined;
  return keyDigest(workspaceId, `${idempotencyKey}\n${customerId}\n${eventName}\n${properties}`);
}

/** An idempotency key contains no line break, so it never has the digest of a derived key. */
export function keyDigestOf({
  workspaceId,
  idempotencyKey,
  derivedKey,
}: Pick<UsageRow, 'workspaceId' | 'idempotencyKey' | 'derivedKey'>): string | undefined {
  if (idempotencyKey !== undefined) return keyDigest(workspaceId, idempotencyKey);
  return derivedKey === undefined ? undefined : keyDigest(workspaceId, `derived\n${derivedKey}`);
}

/**
 * The digest identifies a key: 128 bits of SHA-256, written as the hex digits of a UUID. A workspace id contains no line break, so keys of
 * two workspaces never produce the same hashed string.
 */
function keyDigest(workspaceId: string, key: string): string {
  return hash('sha256', `${workspaceId}\n${key}`).slice(0, 32);
}
