import type { PoolClient } from 'pg';
import { LIVE_SCHEMA, OLD_SCHEMA } from './schemas.js';

/**
 * The error if an object depends on a table of a read model and cannot be moved to another table. The dependent object does not belong to
 * the read models. The dependent object is a view or a foreign key, for example.
 */
export class BlockedByDependentObjects extends Error {}

/** A view that is moved to the new table when a table that it reads is replaced. */
export interface DependentView {
  /** The name with its schema. */
  readonly name: string;
  /**
   * The SQL statement that replaces the definition of the view (`CREATE OR REPLACE VIEW`). The view keeps its owner, grants, comment and
   * dependent views.
   */
  readonly statement: string;
}

interface Dependent {
  object: string;
  name: string;
  /** Null if the object cannot be created again. */
  statement: string | null;
}

/** The SQLSTATE classes (PostgreSQL appendix A) of the errors of a view that cannot be recreated on the new table. */
const OF_STATEMENT = /^(?:0A|2B|42)/;

/**
 * Finds the objects that depend on the tables named in `$1`, on their indexes or on their row types, so that Postgres would not drop the
 * tables. Objects that Postgres drops together with the tables are not included.
 */
const DEPENDENTS = `
  WITH tables AS (SELECT oid, reltype FROM pg_class WHERE oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) name)),
  parts (classid, objid) AS (
    SELECT 'pg_class'::regclass, oid FROM tables
    UNION ALL SELECT 'pg_class'::regclass, indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM tables)
    UNION ALL SELECT 'pg_type'::regclass, reltype FROM tables
    UNION ALL SELECT 'pg_type'::regclass, typarray FROM pg_type WHERE oid IN (SELECT reltype FROM tables)
  )
  SELECT DISTINCT shown.type || ' ' || shown.identity AS object, shown.identity AS name,
    CASE WHEN r.rulename = '_RETURN' AND v.relkind = 'v' AND v.relpersistence = 'p' AND pg_has_role(v.relowner, 'USAGE')
      THEN format('CREATE OR REPLACE VIEW %s %s AS %s', shown.identity,
        'WITH (' || array_to_string(v.reloptions, ', ') || ')', pg_get_viewdef(v.oid)) END AS statement
  FROM pg_depend d
  JOIN parts ON d.refclassid = parts.classid AND d.refobjid = parts.objid
  LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
  LEFT JOIN pg_class v ON v.oid = r.ev_class AND r.rulename = '_RETURN',
  LATERAL pg_identify_object(coalesce(v.tableoid, d.classid), coalesce(v.oid, d.objid), 0) shown
  WHERE d.deptype = 'n' AND NOT EXISTS (
    SELECT FROM pg_depend own JOIN parts ON own.refclassid = parts.classid AND own.refobjid = parts.objid
    WHERE own.classid = d.classid AND own.objid = d.objid AND own.deptype IN ('a', 'i'))
  ORDER BY object`;

/**
 * Returns the views that must be moved when the live tables named in `tables` are replaced and the kept old tables are dropped. Throws
 * {@link BlockedByDependentObjects} if an object that cannot be moved depends on one of the replaced or dropped tables.
 */
export async function viewsToMove(tx: PoolClient, tables: readonly string[]): Promise<DependentView[]> {
  await requireOldTablesDroppable(tx, tables);
  const dependents = await dependentsOn(tx, LIVE_SCHEMA, tables);
  const others = dependents.filter(({ statement }) => statement === null);
  if (others.length > 0)
    throw new BlockedByDependentObjects(
      `${listed(others)} on a table that would be replaced, and cannot be moved to the new table. Only a plain view of the role ` +
        'that makes the read models can be moved. Drop it, and make it again when the read model is made anew',
    );
  return dependents.map(({ name, statement }) => ({ name, statement: statement! }));
}

/** Throws {@link BlockedByDependentObjects} if an object depends on the old tables that were kept after the last swap. */
export async function requireOldTablesDroppable(tx: PoolClient, tables: readonly string[]): Promise<void> {
  const dependents = await dependentsOn(tx, OLD_SCHEMA, tables);
  if (dependents.length === 0) return;
  throw new BlockedByDependentObjects(
    `${listed(dependents)} on a table in ${OLD_SCHEMA}, which is kept from before the last rebuild and would be dropped. Drop ` +
      `it first, or make it anew on the table in ${LIVE_SCHEMA}`,
  );
}

/**
 * Creates a view again on the present tables. Throws {@link BlockedByDependentObjects} if the view cannot be created, for example because
 * one of its columns is gone.
 */
export async function recreateView(tx: PoolClient, { name, statement }: DependentView): Promise<void> {
  try {
    await withQualifiedNames(tx, () => tx.query(statement));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined || !OF_STATEMENT.test(code)) throw error;
    throw new BlockedByDependentObjects(
      `The view ${name} reads a table that would be replaced, and cannot be moved to the new table: ${message}. Drop it, and ` +
        'make it again when the read model is made anew',
      { cause: error },
    );
  }
}

async function dependentsOn(tx: PoolClient, schema: string, tables: readonly string[]): Promise<Dependent[]> {
  const names = tables.map((table) => `${schema}.${table}`);
  const { rows } = await withQualifiedNames(tx, () => tx.query<Dependent>(DEPENDENTS, [names]));
  return rows;
}

/**
 * Runs `work` with only Postgres' own names in the search path. With this search path, Postgres returns definitions in which all other
 * names have their schema.
 */
async function withQualifiedNames<T>(tx: PoolClient, work: () => Promise<T>): Promise<T> {
  await tx.query('SET LOCAL search_path = pg_catalog');
  const result = await work();
  await tx.query('SET LOCAL search_path TO DEFAULT');
  return result;
}

function listed(dependents: readonly Dependent[]): string {
  const objects = dependents.map(({ object }) => object).join(', ');
  return `${objects[0]!.toUpperCase()}${objects.slice(1)} ${dependents.length === 1 ? 'depends' : 'depend'}`;
}
