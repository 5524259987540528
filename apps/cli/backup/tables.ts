import type { ClientBase } from 'pg';
import type { Partition, SequenceState } from './manifest.js';

/**
 * The schemas whose rows nothing can make again. The read models (`read`, and how far each is, `projection`) are made of the event
 * log, so a backup has none of them.
 */
export const SCHEMAS = [
  'eventstore',
  'idempotency',
  'identity',
  'invoicing',
  'payments',
  'saga',
  'usage',
  'vault',
  'webhooks',
  'workspaces',
];

/** Which migrations have run is in the manifest: it is what the tables are made by, before their rows come. */
const NOT_COPIED = ['eventstore.migrations'];

/** A table whose rows are copied. */
export interface Table {
  /** With its schema. It needs no quotes in SQL. */
  readonly name: string;
  readonly columns: readonly string[];
  /** About how many rows it has; where Postgres has not looked yet, a row for each 100 bytes. */
  readonly estimate: number;
}

/** The tables to copy, those before others that refer to them. */
export async function tablesOf(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { references: string[] }>(
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
    [SCHEMAS, NOT_COPIED],
  );
  const ordered: Table[] = [];
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

/** The partitions of the tables, all of which are by ranges of one moment. */
export async function partitionsOf(client: ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `SELECT i.inhparent::regclass::text AS table, c.relname AS name, bound[1] AS from, bound[2] AS to
     FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid,
       regexp_match(pg_get_expr(c.relpartbound, c.oid), $2) AS bound
     WHERE c.relnamespace::regnamespace::text = ANY($1) AND c.relispartition AND c.relkind = 'r'
     ORDER BY 1, 2`,
    [SCHEMAS, RANGE_OF_MOMENTS],
  );
  return rows;
}

/** What the sequences have come to. They obey no snapshot: each is at least where any row of an earlier snapshot has it. */
export async function sequencesOf(client: ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace::regnamespace::text = ANY($1) AND relkind = 'S' ORDER BY 1`,
    [SCHEMAS],
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
