import type { ClientBase } from 'pg';
import { ADD, CHANGE, READ, tables, type TableRights } from '#libs/manifest';
import { databaseRoles, type DatabaseRole } from './roles.js';

const UPDATE = 'SELECT, UPDATE';

/** The rights of each role on the kernel's tables, by schema. */
const RIGHTS: Readonly<Record<DatabaseRole, Readonly<Record<string, TableRights>>>> = {
  app: {
    idempotency: { '*': CHANGE },
    saga: { '*': CHANGE },
    vault: { '*': CHANGE },
    workspaces: { '*': CHANGE },
    projection: { '*': READ },
  },
  projector: {
    projection: { '*': CHANGE },
    vault: { '*': READ },
  },
  eventStore: {
    eventstore: { events: ADD, streams: ADD, log: UPDATE, migrations: READ },
  },
};

/**
 * Returns a role's rights on the tables of the kernel and of the contexts, by schema. No role may change or delete rows of the event log or
 * the usage log. The read models are not included, since the projector owns them. The audit trail is one of them, so only the projector may
 * change its rows.
 */
function rightsOf(role: DatabaseRole): Readonly<Record<string, TableRights>> {
  if (role === 'eventStore') return RIGHTS[role];
  return Object.assign({}, RIGHTS[role], ...tables().map(({ rights }) => rights[role])) as Record<
    string,
    TableRights
  >;
}

/** The schemas in which the projector creates tables. Other programs read only the first schema. */
const READ_MODEL_SCHEMAS = ['read', 'read_next', 'read_verify', 'read_old'];

/**
 * Grants the roles their rights, and revokes all other rights in the same schemas. The current user must own the tables and be a member of
 * the projector's role. Read models that already have the correct owner and rights are not changed, since a projector may be replacing
 * their tables.
 */
export async function grantRights(client: ClientBase): Promise<void> {
  await client.query('BEGIN');
  try {
    for (const role of Object.keys(RIGHTS) as DatabaseRole[])
      for (const [schema, tables] of Object.entries(rightsOf(role)))
        await grantSchema(client, databaseRoles[role], schema, tables);
    await giveReadModelsToProjector(client);
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

/**
 * Makes the projector the owner of all read models, including those that were created before its role existed. The API and the saga may
 * read the live read models.
 */
async function giveReadModelsToProjector(client: ClientBase): Promise<void> {
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
