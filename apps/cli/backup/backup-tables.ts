import type { ClientBase } from 'pg';
import { tables, type Tables } from '#libs/manifest';
import type { TablePartition, SequenceState } from './manifest.js';

/** The schemas of the kernel whose rows cannot be computed again. */
const KERNEL_SCHEMAS = ['eventstore', 'idempotency', 'saga', 'vault', 'workspaces'];

/**
 * The schemas whose rows cannot be computed again. A backup has these schemas of the kernel, and the schemas of every context that declares
 * tables in its `*.context.ts`. A backup has no rows of the schemas `read` and `projection`. The read models and their checkpoints in these
 * two schemas can be rebuilt from the event log.
 */
export const BACKED_UP_SCHEMAS: readonly string[] = [
  ...new Set([...KERNEL_SCHEMAS, ...tables().flatMap(schemasWithTables)]),
].toSorted();

/**
 * Returns the schemas of a context that have tables. A schema without tables declares no rights on tables: `sql_metrics`, for example, has
 * only functions.
 */
function schemasWithTables({ rights }: Tables): string[] {
  return Object.values(rights).flatMap((schemas) =>
    Object.keys(schemas).filter((schema) => Object.keys(schemas[schema]!).length > 0),
  );
}

/**
 * A backup does not copy the table of the migrations that the event log has applied. The manifest of the backup lists these migrations, and
 * a restore runs them before it inserts rows.
 */
const TABLES_NOT_COPIED = ['eventstore.migrations'];

/** A table whose rows are copied. */
export interface TableToCopy {
  /** The name with its schema, quoted for SQL where needed. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The estimated number of rows. If Postgres has no statistics yet, the estimate is the size of the table divided by 100 bytes. */
  readonly estimate: number;
}

/** Lists the tables to copy. A table comes before the tables that have foreign keys to it. */
export async function listTablesToCopy(client: ClientBase): Promise<TableToCopy[]> {
  const { rows } = await client.query<TableToCopy & { references: string[] }>(
    `SELECT c.oid::regclass::text AS name,
       (SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
       (SELECT sum(CASE WHEN p.reltuples < 0 THEN pg_relation_size(p.oid) / 100 ELSE p.reltuples END)::float8 FROM pg_class p
        WHERE p.relkind = 'r' AND (p.oid = c.oid OR p.oid IN (SELECT relid FROM pg_partition_tree(c.oid)))) AS estimate,
       ARRAY(SELECT confrelid::regclass::text FROM pg_constraint
        WHERE conrelid = c.oid AND contype = 'f' AND confrelid <> c.oid) AS references
     FROM pg_class c
     WHERE c.relnamespace::regnamespace::text = ANY($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.oid::regclass::text <> ALL($2)
     ORDER BY 1`,
    [BACKED_UP_SCHEMAS, TABLES_NOT_COPIED],
  );
  const ordered: TableToCopy[] = [];
  const placed = new Set<string>();
  const place = ({ references, ...table }: (typeof rows)[number]): void => {
    if (placed.has(table.name)) return;
    placed.add(table.name);
    for (const row of rows) if (references.includes(row.name)) place(row);
    ordered.push(table);
  };
  rows.forEach(place);
  return ordered;
}

const RANGE_OF_MOMENTS = "^FOR VALUES FROM \\('([^']+)'\\) TO \\('([^']+)'\\)$";

/** Lists the partitions of the tables. All partitioned tables are partitioned by ranges of one timestamp. */
export async function listPartitions(client: ClientBase): Promise<TablePartition[]> {
  const { rows } = await client.query<TablePartition>(
    `SELECT i.inhparent::regclass::text AS table, c.relname AS name, bound[1] AS from, bound[2] AS to
     FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid,
       regexp_match(pg_get_expr(c.relpartbound, c.oid), $2) AS bound
     WHERE c.relnamespace::regnamespace::text = ANY($1) AND c.relispartition AND c.relkind = 'r'
     ORDER BY 1, 2`,
    [BACKED_UP_SCHEMAS, RANGE_OF_MOMENTS],
  );
  return rows;
}

/**
 * Reads the current values of the sequences. The values are current even in a transaction that sees an older state of the tables. A value
 * can therefore be ahead of the rows in a backup, but never behind them.
 */
export async function readSequences(client: ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace::regnamespace::text = ANY($1) AND relkind = 'S' ORDER BY 1`,
    [BACKED_UP_SCHEMAS],
  );
  const states: SequenceState[] = [];
  for (const { name } of rows) {
    const { rows: found } = await client.query<SequenceState>(
      `SELECT $1 AS name, last_value::text AS "lastValue", is_called AS "isCalled" FROM ${name}`,
      [name],
    );
    states.push(...found);
  }
  return states;
}
