import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { distinctValuesStatement, type MeteredMeasureRequest } from '#libs/usage';
import { counterKeyText, type CounterKey } from './counter-rows.js';

/** Distinct values of a counter. Each distinct value is represented by its digest in hex. */
export interface DistinctCounterValues {
  readonly key: CounterKey;
  readonly values: readonly string[];
}

/** Returns, for each counter id, those of the wanted values that the counter has already counted. */
export async function readCountedDistinctValues(
  tx: Queryable,
  wanted: readonly DistinctCounterValues[],
): Promise<ReadonlyMap<string, Set<string>>> {
  const { rows } = await tx.query<CounterKey & { value: string }>(
    preparedStatement(
      `SELECT d.workspace_id AS "workspaceId", d.limit_id AS "limitId", d.customer_id AS "customerId",
         d.window_start AS "windowStart", encode(d.value, 'hex') AS value
       FROM limits.distinct_values d JOIN ${VALUES} ON d.workspace_id = k.workspace_id AND d.limit_id = k.limit_id
         AND d.customer_id = k.customer_id AND d.window_start = k.window_start AND d.value = decode(k.value, 'hex')`,
      columnsOf(wanted),
    ),
  );
  const seen = new Map<string, Set<string>>();
  for (const row of rows) {
    const values = seen.get(counterKeyText(row)) ?? new Set<string>();
    seen.set(counterKeyText(row), values.add(row.value));
  }
  return seen;
}

/** Adds values to locked counters. */
export async function addDistinctValues(
  tx: Queryable,
  added: readonly DistinctCounterValues[],
): Promise<void> {
  await tx.query(
    preparedStatement(
      `INSERT INTO limits.distinct_values (workspace_id, limit_id, customer_id, window_start, value)
       SELECT k.workspace_id, k.limit_id, k.customer_id, k.window_start, decode(k.value, 'hex') FROM ${VALUES}`,
      columnsOf(added),
    ),
  );
}

/** Replaces the stored values of a locked counter by the values in the usage log, and returns their number. */
export async function replaceDistinctValues(
  tx: Queryable,
  { workspaceId, limitId, customerId, windowStart }: CounterKey,
  request: MeteredMeasureRequest,
): Promise<number> {
  const key = [workspaceId, limitId, customerId, windowStart];
  await tx.query(
    `DELETE FROM limits.distinct_values
     WHERE workspace_id = $1 AND limit_id = $2 AND customer_id = $3 AND window_start = $4`,
    key,
  );
  const visible = await distinctValuesStatement(tx, request);
  if (!visible) return 0;
  const place = visible.values.length;
  const { rowCount } = await tx.query(
    `INSERT INTO limits.distinct_values (workspace_id, limit_id, customer_id, window_start, value)
     SELECT $${place + 1}, $${place + 2}, $${place + 3}, $${place + 4}::timestamptz, value FROM (${visible.text}) v`,
    [...visible.values, ...key],
  );
  return rowCount ?? 0;
}

/**
 * Returns the number of distinct values that the usage log has for a counter, and the number of values that are stored for it. The
 * transaction's snapshot decides which usage is included.
 */
export async function countDistinctValues(
  tx: Queryable,
  { workspaceId, limitId, customerId, windowStart }: CounterKey,
  request: MeteredMeasureRequest,
): Promise<{ inLog: string; stored: string }> {
  const stored = await tx.query<{ count: string }>(
    `SELECT count(*)::text AS count FROM limits.distinct_values
     WHERE workspace_id = $1 AND limit_id = $2 AND customer_id = $3 AND window_start = $4`,
    [workspaceId, limitId, customerId, windowStart],
  );
  const visible = await distinctValuesStatement(tx, request);
  const inLog = visible
    ? await tx.query<{ count: string }>(
        `SELECT count(*)::text AS count FROM (${visible.text}) v`,
        visible.values,
      )
    : { rows: [{ count: '0' }] };
  return { inLog: inLog.rows[0]!.count, stored: stored.rows[0]!.count };
}

const VALUES = `
  unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[])
    AS k (workspace_id, limit_id, customer_id, window_start, value)`;

function columnsOf(values: readonly DistinctCounterValues[]): string[][] {
  const flat = values.flatMap(({ key, values: own }) => own.map((value) => ({ ...key, value })));
  return [
    flat.map(({ workspaceId }) => workspaceId),
    flat.map(({ limitId }) => limitId),
    flat.map(({ customerId }) => customerId),
    flat.map(({ windowStart }) => windowStart),
    flat.map(({ value }) => value),
  ];
}
