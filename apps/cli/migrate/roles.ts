import { createHmac } from 'node:crypto';
import type { ClientBase } from 'pg';

/**
 * The Postgres roles of the programs. None is a superuser. What each may do is in rights.ts. The tables belong to another role,
 * the one that migrates; only the read models belong to the projector, which makes and replaces them.
 */
export const databaseRoles = {
  /** The API and the saga. */
  app: 'countinghouse_app',
  projector: 'countinghouse_projector',
  /** The embedded event store node. */
  eventStore: 'countinghouse_event_store',
} as const;
export type DatabaseRole = keyof typeof databaseRoles;

const NAMES = Object.values(databaseRoles);

/** SQLSTATE: the role was made by somebody else just now. */
const DUPLICATES = ['42710', '23505'];
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Makes the roles that are missing, none of which can log in yet, and lets the current user act as the projector's. Roles are of
 * the whole server. Resolves to what stands in the way, as Postgres says it, or to undefined. Not for within a transaction.
 */
export async function ensureRoles(client: ClientBase): Promise<string | undefined> {
  try {
    for (const name of NAMES) await ensureRole(client, name);
    await joinProjector(client);
    await passOnTemporaryFileLimit(client);
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    return message;
  }
}

/** Lets the programs log in to a server of our own, each with the password of {@link passwordOf}. */
export async function enableLogins(client: ClientBase, ownerPassword: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = ANY($1) AND NOT rolcanlogin',
    [NAMES],
  );
  for (const { name } of rows)
    await client.query(`ALTER ROLE ${name} LOGIN PASSWORD '${passwordOf(name, ownerPassword)}'`);
}

/** The password of a role on a server of our own. It comes of the owner's, which nobody can tell from it. */
export function passwordOf(name: string, ownerPassword: string): string {
  return createHmac('sha256', ownerPassword).update(name).digest('base64url');
}

async function ensureRole(client: ClientBase, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  if (rowCount === 1) return;
  await client.query(`CREATE ROLE ${name} NOLOGIN`).catch((error: Error & { code?: string }) => {
    if (!DUPLICATES.includes(error.code ?? '')) throw error;
  });
}

/** From Postgres 16 on, who makes a role may give it to others, and does not yet have it. */
async function joinProjector(client: ClientBase): Promise<void> {
  const name = databaseRoles.projector;
  const { rows } = await client.query<{ member: boolean }>(
    `SELECT pg_has_role($1, 'USAGE') AND pg_has_role($1,
       CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS member`,
    [name],
  );
  if (!rows[0]!.member) await client.query(`GRANT ${name} TO CURRENT_USER`);
}

/** So that the API can limit the temporary files of a metric's SQL. Elsewhere the server's own limit holds. */
async function passOnTemporaryFileLimit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ lacking: boolean }>(
    `SELECT has_parameter_privilege('temp_file_limit', 'SET WITH GRANT OPTION')
       AND NOT has_parameter_privilege($1, 'temp_file_limit', 'SET') AS lacking`,
    [databaseRoles.app],
  );
  if (rows[0]!.lacking) await client.query(`GRANT SET ON PARAMETER temp_file_limit TO ${databaseRoles.app}`);
}
