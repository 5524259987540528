import type { Pool } from 'pg';

/** A table to plant a defect in. */
export interface Plot {
  table: string;
  /** The columns that name a row. */
  key: readonly string[];
  /** Which rows may be chosen; `$1` is the workspace. */
  where: string;
}

type Row = Record<string, unknown>;
type Undo = () => Promise<void>;

/** Removes one row; the undoing puts it back. */
export async function removeRow(pool: Pool, plot: Plot, workspaceId: string): Promise<Undo> {
  const row = await oneRow(pool, plot, workspaceId);
  await deleteRow(pool, plot, row);
  return () => insertRow(pool, plot, row);
}

/** Adds a copy of one row that differs from it in some columns; the undoing removes it. */
export async function copyRow(pool: Pool, plot: Plot, workspaceId: string, difference: Row): Promise<Undo> {
  const copy = { ...(await oneRow(pool, plot, workspaceId)), ...difference };
  await insertRow(pool, plot, copy);
  return () => deleteRow(pool, { ...plot, key: [...plot.key, ...Object.keys(difference)] }, copy);
}

/** Changes some columns of one row, the last, which the others leave alone; the undoing puts it back as it was. */
export async function changeRow(
  pool: Pool,
  plot: Plot,
  workspaceId: string,
  change: (row: Row) => Row,
): Promise<Undo> {
  const row = await oneRow(pool, plot, workspaceId, 'DESC');
  const changed = { ...row, ...change(row) };
  await deleteRow(pool, plot, row);
  await insertRow(pool, plot, changed);
  return async () => {
    await deleteRow(pool, plot, changed);
    await insertRow(pool, plot, row);
  };
}

/** A row by its columns. Numbers are texts, because a number of JavaScript does not keep the decimals of `10.00`. */
async function oneRow(
  pool: Pool,
  { table, where, key }: Plot,
  workspaceId: string,
  order = 'ASC',
): Promise<Row> {
  const { rows } = await pool.query<{ row: Row }>(
    `SELECT (SELECT jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN 'number' THEN to_jsonb(value #>> '{}') ELSE value END)
       FROM jsonb_each(to_jsonb(t))) AS row
     FROM ${table} t WHERE ${where} ORDER BY ${key.map((column) => `${column} ${order}`).join()} LIMIT 1`,
    [workspaceId],
  );
  if (!rows[0]) throw new Error(`${table} has no row to plant a defect in`);
  return rows[0].row;
}

async function insertRow(pool: Pool, { table }: Plot, row: Row): Promise<void> {
  await pool.query(
    `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`,
    [JSON.stringify(row)],
  );
}

async function deleteRow(pool: Pool, { table, key }: Plot, row: Row): Promise<void> {
  const { rowCount } = await pool.query(
    `DELETE FROM ${table} t USING jsonb_populate_record(NULL::${table}, $1) AS gone
     WHERE ${key.map((column) => `t.${column} = gone.${column}`).join(' AND ')}`,
    [JSON.stringify(row)],
  );
  if (rowCount !== 1) throw new Error(`${rowCount} rows of ${table} were removed in place of one`);
}
