import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { normaliseAggregation, type MeterDefinition } from './definition.js';
import { logRowsSql, measureLogStatement, type MeasuredRow } from './measure-sql.js';
import { SqlParameters, type Statement } from './sql.js';

/** A position that is higher than any position of the usage log. */
const NO_WATERMARK = String(2n ** 63n - 1n);

/**
 * Measures a customer's usage in [start, end) as a transaction sees it, from the usage log only. Returns one quantity for each usage group
 * of the metric that has events. The duration of the measurement grows with the number of events. The function is used to check sums of
 * usage that are stored outside the usage log.
 */
export async function measureInTransaction(
  tx: Queryable,
  request: MeteredMeasureRequest,
): Promise<DecimalString[]> {
  const source = await sourceOf(tx, request.definition);
  if (!source) return [];
  const { text, values } = measureLogStatement(source, request, NO_WATERMARK);
  const { rows } = await tx.query<MeasuredRow>(text, values);
  return rows.flatMap(({ events, quantity }) => (events === '0' ? [] : [quantity]));
}

/**
 * Returns the statement that selects the digests of the distinct values of a customer's usage in [start, end), over all groups. The
 * statement reads only the usage log. The only column of the result is `value`. Returns undefined if the workspace never had an event with
 * the metric's event name.
 */
export async function distinctValuesStatement(
  tx: Queryable,
  request: MeteredMeasureRequest,
): Promise<Statement | undefined> {
  const source = await sourceOf(tx, request.definition);
  if (!source) return undefined;
  const parameters = new SqlParameters();
  const rows = logRowsSql(source, request, parameters.add(NO_WATERMARK, 'bigint'), parameters);
  return {
    text: `SELECT DISTINCT value FROM (${rows}) visible WHERE value IS NOT NULL`,
    values: parameters.values,
  };
}

/** A request to measure one customer's usage in [start, end), of a metric that is not defined by SQL. */
export interface MeteredMeasureRequest {
  readonly definition: MeterDefinition;
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

async function sourceOf(tx: Queryable, { workspaceId, eventName, aggregation }: MeterDefinition) {
  const { rows } = await tx.query<{ id: number }>(
    preparedStatement('SELECT id FROM usage.streams WHERE workspace_id = $1 AND event_name = $2', [
      workspaceId,
      eventName,
    ]),
  );
  return rows[0] && { streamId: rows[0].id, aggregation: normaliseAggregation(aggregation) };
}
