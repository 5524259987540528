import { createHmac } from 'node:crypto';
import type { ClientBase } from 'pg';

/**
 * The Postgres roles of the programs. None is a superuser. rights.ts lists their rights. The role that runs the migrations owns the tables.
 * Only the read models belong to the projector, which creates and replaces them.
 */
export const databaseRoles = {
  /** The role of the API and the saga. */
  app: 'countinghouse_app',
  projector: 'countinghouse_projector',
  /** The role of the embedded event store node. */
  eventStore: 'countinghouse_event_store',
} as const;
export type DatabaseRole = keyof typeof databaseRoles;

const NAMES = Object.values(databaseRoles);

/** The SQLSTATE codes that mean that another session has just created the role. */
const DUPLICATES = ['42710', '23505'];
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Creates the missing roles, still without the right to log in, and makes the current user a member of the projector's role. Roles belong
 * to the whole Postgres server. If Postgres refuses to create the roles or the membership, the promise resolves to the error message, and
 * otherwise to undefined. The function must not be called within a transaction.
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

/** Lets the programs log in to the embedded server, each with its own password from {@link passwordOf}. */
export async function enableLogins(client: ClientBase, ownerPassword: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = ANY($1) AND NOT rolcanlogin',
    [NAMES],
  );
  for (const { name } of rows)
    await client.query(`ALTER ROLE ${name} LOGIN PASSWORD '${passwordOf(name, ownerPassword)}'`);
}

/**
 * Returns the password of a role on the embedded server. The password is derived from the owner's password. The owner's password cannot be
 * computed from the password of a role.
 */
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

/**
 * Makes the current user a member of the projector's role. From Postgres 16 on, the creator of a role is not automatically a member that
 * has its rights.
 */
async function joinProjector(client: ClientBase): Promise<void> {
  const name = databaseRoles.projector;
  const { rows } = await client.query<{ member: boolean }>(
    `SELECT pg_has_role($1, 'USAGE') AND pg_has_role($1,
       CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS member`,
    [name],
  );
  if (!rows[0]!.member) await client.query(`GRANT ${name} TO CURRENT_USER`);
}

/**
 * Lets the API limit the temporary files of SQL metrics, if the current user may grant this right. Without this right of the API, the limit
 * of the Postgres server applies to SQL metrics.
 */
async function passOnTemporaryFileLimit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ lacking: boolean }>(
    `SELECT has_parameter_privilege('temp_file_limit', 'SET WITH GRANT OPTION')
       AND NOT has_parameter_privilege($1, 'temp_file_limit', 'SET') AS lacking`,
    [databaseRoles.app],
  );
  if (rows[0]!.lacking) await client.query(`GRANT SET ON PARAMETER temp_file_limit TO ${databaseRoles.app}`);
}
