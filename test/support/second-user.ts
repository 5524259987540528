import type { Role } from '#libs/manifest';
import { createPool } from './database.ts';
import { clientOf, type Client, type System, type TestWorkspace } from './system.ts';

/** A further user of a workspace, who is signed in. */
export interface SecondUser {
  readonly userId: string;
  readonly accessToken: string;
  readonly session: Client;
}

/**
 * Signs in a user with this role, with the password of the first one. The first call adds the user. It writes the row, since an invitation
 * needs its mail.
 */
export async function addUser(
  { database, url }: System,
  { workspaceId, email, password }: TestWorkspace,
  role: Role,
): Promise<SecondUser> {
  const pool = createPool(database, 1);
  const [name] = email.split('@');
  const own = `${name}-${role}@example.com`;
  const userId = `usr_${name}-${role}`;
  await pool.query(
    `INSERT INTO identity.users (id, workspace_id, email, name, password_hash, role, status, created_at)
     SELECT $1, workspace_id, $2, 'Second User', password_hash, $3, 'active', created_at
     FROM identity.users WHERE workspace_id = $4 AND email = $5
     ON CONFLICT DO NOTHING`,
    [userId, own, role, workspaceId, email],
  );
  await pool.end();
  const { body } = await clientOf(url).post('/v1/auth/login', { email: own, password }).expect(200);
  const { accessToken } = (body as { tokens: { accessToken: string } }).tokens;
  return { userId, accessToken, session: clientOf(url, { authorization: `Bearer ${accessToken}` }) };
}
