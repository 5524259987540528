import { IsNull, type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider, type ApiKeyDetails } from '../api-key.js';
import { ApiKey } from '../entities/api-key.entity.js';
import type { CommandOutbox } from '../command-outbox.js';
import { generateApiKey, hashApiKey } from './api-key-format.js';

/** A newly created key with its secret, which cannot be read again later. */
export interface NewApiKey {
  apiKey: ApiKey;
  /** The secret, which clients send to authenticate. */
  secret: string;
}

/**
 * Stores a new key and the command for its event, in the transaction of `manager`. A repeated command means that its first run crashed
 * before it could return the key. If the command is repeated, the stored key gets a new secret.
 */
export async function storeNewApiKey(
  manager: EntityManager,
  outbox: CommandOutbox,
  context: CommandContext,
  { apiKeyId: id, name, role, permissions, expiresAt }: Omit<ApiKeyDetails, 'at'>,
): Promise<NewApiKey> {
  const { workspaceId } = context;
  const key = generateApiKey();
  const secret = { hash: hashApiKey(key), last4: key.slice(-4) };
  const { raw } = (await manager
    .createQueryBuilder()
    .insert()
    .into(ApiKey)
    .values({
      ...{ id, workspaceId, name, role, permissions: permissions ? [...permissions] : null },
      ...{ expiresAt: expiresAt ?? null, replacedBy: null, revokedAt: null },
      ...{ createdAt: systemClock.now(), lastUsedAt: null },
      ...secret,
    })
    .orIgnore()
    .returning('id')
    .execute()) as { raw: unknown[] };
  if (raw.length === 0) await manager.update(ApiKey, { id, revokedAt: IsNull() }, secret);
  const apiKey = await manager.findOneByOrFail(ApiKey, { id });
  await outbox.add(manager, apiKeyDecider, aggregateId(workspaceId, id), context, {
    type: 'CreateApiKey',
    ...{ apiKeyId: id, name, role, at: apiKey.createdAt },
    ...(permissions ? { permissions } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return { apiKey, secret: key };
}
