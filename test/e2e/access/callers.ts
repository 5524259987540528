import { endpointAccess } from '../../support/per-worker/endpoint-tables.ts';
import { addUser } from '../../support/second-user.js';
import { ROLES, type Access, type RoleName } from '../../support/test-endpoints.js';
import { clientOf, type Client, type Ids, type System, type TestWorkspace } from '../../support/index.js';

/** Somebody who sends requests to workspace A. */
export interface Caller {
  readonly name: string;
  readonly client: Client;
  readonly kind: 'nobody' | 'user' | 'key' | 'customer';
  /** Why the credential is refused everywhere. Absent for a credential that is valid. */
  readonly refusal?: string;
  readonly role?: RoleName;
  /** The only right of a restricted key. */
  readonly right?: string;
}

/** What the gate answers: its status and its error code. Undefined if the request passes. */
export type Refusal = readonly [status: 401 | 403, code: string] | undefined;

/** What the gate answers this caller at an endpoint with this access. */
export function refusalOf(access: Access, { kind, refusal, role, right }: Caller): Refusal {
  const who = 'who' in access ? access.who : 'roles';
  if (who === 'anyone') return undefined;
  if (refusal !== undefined) return [401, refusal];
  if (who === 'customers') return kind === 'customer' ? undefined : [403, 'portal_token_required'];
  if (kind === 'customer') return [403, 'portal_token_not_allowed'];
  if (!('right' in access)) return kind === 'user' ? undefined : [403, 'user_session_required'];
  if (access.usersOnly && kind !== 'user') return [403, 'user_session_required'];
  if (!access.roles.includes(role!) || (right !== undefined && right !== access.right))
    return [403, 'permission_denied'];
  return access.wholeKeysOnly && right !== undefined ? [403, 'unlimited_credential_required'] : undefined;
}

/** Every right that an API key can be restricted to. */
export const RIGHTS = [
  ...new Set([...endpointAccess().values()].flatMap((one) => ('right' in one ? [one.right] : []))),
];

/** The credentials with which workspace A is called. */
export interface Callers {
  /** A user and an API key of each role, a customer, and somebody without a credential. */
  readonly everywhere: readonly Caller[];
  /** Those whose credentials are not valid, or no longer. */
  readonly invalid: readonly Caller[];
  /** Keys of the role admin that are restricted to one right, by this right. */
  readonly restricted: ReadonlyMap<string, Caller>;
}

export async function createCallers(system: System, workspace: TestWorkspace, ids: Ids): Promise<Callers> {
  const { url } = system;
  const { http, session } = workspace;
  const bearer = (token: string): Client => clientOf(url, { authorization: `Bearer ${token}` });
  const createKey = async (body: object): Promise<{ id: string; key: string }> =>
    (await session.post('/v1/api-keys', { name: 'tried', ...body }).expect(201)).body as {
      id: string;
      key: string;
    };

  const users: Caller[] = [];
  const keys: Caller[] = [];
  for (const role of ROLES) {
    const { session: client } = await addUser(system, workspace, role);
    users.push({ name: `a user who is ${role}`, kind: 'user', role, client });
    const { key } = await createKey({ role });
    keys.push({
      name: `an API key of the role ${role}`,
      kind: 'key',
      role,
      client: clientOf(url, { 'x-api-key': key }),
    });
  }

  const restricted = new Map<string, Caller>();
  for (const right of RIGHTS) {
    const { key } = await createKey({ role: 'admin', permissions: [right] });
    const name = `an API key restricted to ${right}`;
    restricted.set(right, { name, kind: 'key', role: 'admin', right, client: bearer(key) });
  }

  const revoked = await createKey({ role: 'admin' });
  await session.delete(`/v1/api-keys/${revoked.id}`).expect(204);
  const rotated = await createKey({ role: 'admin' });
  await session.post(`/v1/api-keys/${rotated.id}/rotate`, { overlapSeconds: 0 }).expect(201);
  const signedIn = await signIn(url, workspace);
  const signedOut = await signIn(url, workspace);
  await clientOf(url).post('/v1/auth/logout', { refreshToken: signedOut.refreshToken }).expect(204);
  const portalSession = { customerId: ids['customers'] };
  const portal = (await http.post('/v1/portal/sessions', portalSession).expect(201)).body as PortalSession;
  await http.delete(`/v1/portal/sessions/${portal.id}`).expect(204);
  const refused = (name: string, client: Client, refusal = 'invalid_credential'): Caller => ({
    name,
    client,
    refusal,
    kind: 'nobody',
  });
  return {
    everywhere: [
      ...users,
      ...keys,
      { name: 'a customer', kind: 'customer', client: await workspace.portalOf(ids['customers']!) },
      refused('nobody', clientOf(url), 'missing_credential'),
    ],
    invalid: [
      refused('an unknown API key', bearer(`${revoked.key.slice(0, -1)}x`)),
      refused('a revoked API key', bearer(revoked.key)),
      refused('an expired API key', bearer(rotated.key), 'api_key_expired'),
      refused('a refresh token', bearer(signedIn.refreshToken)),
      refused('a user who signed out', bearer(signedOut.accessToken)),
      refused('a revoked portal token', bearer(portal.token)),
    ],
    restricted,
  };
}

interface PortalSession {
  id: string;
  token: string;
}

async function signIn(
  url: string,
  { email, password }: TestWorkspace,
): Promise<{ accessToken: string; refreshToken: string }> {
  const { body } = await clientOf(url).post('/v1/auth/login', { email, password }).expect(200);
  return (body as { tokens: { accessToken: string; refreshToken: string } }).tokens;
}
