import type { ClientBase } from 'pg';
import { databaseRoles, type DatabaseRole } from './roles.js';

const NONE = '';
const READ = 'SELECT';
const ADD = 'SELECT, INSERT';
const UPDATE = 'SELECT, UPDATE';
const CHANGE = 'SELECT, INSERT, UPDATE, DELETE';

/** What a role may do to the tables of a schema: to each that is named, and to all others by `*`. */
type TableRights = Readonly<Record<string, string>>;

/** The usage log. Nobody changes what is in it. Its partitions are reached through `events` alone. */
const usageLog = (right: string): TableRights => ({
  streams: right,
  series: right,
  sources: right,
  events: right,
  keys: right,
});

/**
 * What each role may do, by schema. The log of events, the usage log and the audit trail are only added to. A new schema is named
 * here; a new table of a schema that has a `*` is not. The read models are not here, since they belong to the projector.
 */
const RIGHTS: Readonly<Record<DatabaseRole, Readonly<Record<string, TableRights>>>> = {
  app: {
    identity: { '*': CHANGE },
    idempotency: { '*': CHANGE },
    invoicing: { '*': CHANGE },
    payments: { '*': CHANGE },
    saga: { '*': CHANGE },
    vault: { '*': CHANGE },
    webhooks: { '*': CHANGE },
    workspaces: { '*': CHANGE },
    projection: { '*': READ },
    usage: { '*': CHANGE, ...usageLog(ADD), sql_seal: READ },
    // Its functions, which run as a role of their own.
    sql_metrics: {},
  },
  projector: {
    projection: { '*': CHANGE },
    usage: { '*': CHANGE, ...usageLog(READ), sql_seal: NONE },
    vault: { '*': READ },
  },
  eventStore: {
    eventstore: { events: ADD, streams: ADD, log: UPDATE, migrations: READ },
  },
};

/** The schemas that the projector makes tables in. Only the first is read by others. */
const READ_MODEL_SCHEMAS = ['read', 'read_next', 'read_verify', 'read_old'];

/**
 * Gives the roles their rights, and takes from them any others in the same schemas. The current user owns the tables and is a
 * member of the projector's role. What is right already is left as it is in the read models, whose tables a projector may be
 * replacing.
 */
export async function grantRights(client: ClientBase): Promise<void> {
  await client.query('BEGIN');
  try {
    for (const role of Object.keys(RIGHTS) as DatabaseRole[])
      for (const [schema, tables] of Object.entries(RIGHTS[role]))
        await grantSchema(client, databaseRoles[role], schema, tables);
    await giveReadModels(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function grantSchema(
  client: ClientBase,
  role: string,
  schema: string,
  rights: TableRights,
): Promise<void> {
  await client.query(`
    REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role};
    GRANT USAGE ON SCHEMA ${schema} TO ${role};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
  const { rows } = await client.query<{ name: string; isView: boolean }>(
    `SELECT relname AS name, relkind = 'v' AS "isView" FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition`,
    [schema],
  );
  for (const { name, isView } of rows) {
    const right = rights[name] ?? rights['*'];
    if (right) await client.query(`GRANT ${isView ? READ : right} ON ${schema}.${name} TO ${role}`);
  }
}

/** The read models, those too that were made before the projector had a role, belong to it. The API and the saga read them. */
async function giveReadModels(client: ClientBase): Promise<void> {
  const { app, projector } = databaseRoles;
  const [live, next] = READ_MODEL_SCHEMAS;
  const { rows } = await client.query<{ statement: string }>(
    `SELECT 1 AS step, format('ALTER SCHEMA %I OWNER TO ${projector}', nspname) AS statement FROM pg_namespace
     WHERE nspname = ANY($1) AND nspowner <> '${projector}'::regrole
     UNION ALL
     SELECT 2, format('ALTER TABLE %s OWNER TO ${projector}', oid::regclass) FROM pg_class
     WHERE relnamespace::regnamespace::text = ANY($1) AND relkind = 'r' AND relowner = CURRENT_USER::regrole
     UNION ALL
     SELECT 3, format('GRANT SELECT ON %s TO ${app}', oid::regclass) FROM pg_class
     WHERE relnamespace = '${live}'::regnamespace AND relkind = 'r' AND NOT has_table_privilege('${app}', oid, 'SELECT')
     ORDER BY step`,
    [READ_MODEL_SCHEMAS],
  );
  for (const { statement } of rows) await client.query(statement);
  await client.query(`
    GRANT USAGE ON SCHEMA ${live} TO ${app};
    ALTER DEFAULT PRIVILEGES FOR ROLE ${projector} IN SCHEMA ${live}, ${next} GRANT SELECT ON TABLES TO ${app}`);
}
