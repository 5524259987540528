import { IsNull, type EntityManager } from 'typeorm';
import { Unauthenticated } from '#libs/kernel/core';
import { ApiKey } from '../entities/api-key.entity.js';
import { Session } from '../entities/session.entity.js';
import type { Principal } from '../principal.js';

/**
 * Lets the caller make an API key in the transaction of `manager`, and makes a revocation of all keys of the workspace wait for its end.
 * Throws Unauthenticated (`invalid_credential`) if the credential of the caller has ended since the request began: no key may come from a
 * credential that a revocation has ended. Call it before any row of a key is locked.
 */
export async function requireLiveCaller(manager: EntityManager, caller: Principal): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
    lockNameOf(caller.workspaceId),
  ]);
  if (await isLive(manager, caller)) return;
  throw new Unauthenticated('invalid_credential', 'The credential has ended meanwhile; sign in again');
}

/**
 * Waits until every request that makes an API key of the workspace has ended. Later ones wait for the end of the transaction of `manager`,
 * and then check their credential.
 */
export async function lockKeyChanges(manager: EntityManager, workspaceId: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockNameOf(workspaceId)]);
}

async function isLive(
  manager: EntityManager,
  { kind, id, workspaceId, sessionId }: Principal,
): Promise<boolean> {
  if (kind === 'api_key') return manager.existsBy(ApiKey, { id, workspaceId, revokedAt: IsNull() });
  if (sessionId === undefined) return false;
  const user = { id, workspaceId, status: 'active' } as const;
  return manager.existsBy(Session, { id: sessionId, endedAt: IsNull(), user });
}

function lockNameOf(workspaceId: string): string {
  return `API keys of ${workspaceId}`;
}
