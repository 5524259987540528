import { IsNull, type EntityManager } from 'typeorm';
import { addSeconds, Conflict, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider, type ApiKeyDetails } from '../api-key.js';
import { ApiKey } from '../entities/api-key.entity.js';
import type { CommandOutbox } from '../command-outbox.js';
import { generateApiKey, hashApiKey } from './api-key-format.js';

/** The number of seconds for which a repeated command can replace the secret of its key: a day. */
const SECRET_REPLACEMENT_SECONDS = 86_400;

/** A newly created key with its secret, which cannot be read again later. */
export interface NewApiKey {
  apiKey: ApiKey;
  /** The secret, which clients send to authenticate. */
  secret: string;
}

/**
 * Stores a new key and the command for its event, in the transaction of `manager`. A repeated command means that its first run crashed
 * before it could return the key. If the command is repeated, the stored key gets a new secret. Throws Conflict (`api_key_exists`) if the
 * first run was more than a day ago. Answers are kept for at least a day, so the first run has returned the key, and the key may be in use.
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
      id,
      workspaceId,
      name,
      role,
      permissions: permissions ? [...permissions] : null,
      expiresAt: expiresAt ?? null,
      replacedBy: null,
      revokedAt: null,
      createdAt: systemClock.now(),
      lastUsedAt: null,
      ...secret,
    })
    .orIgnore()
    .returning('id')
    .execute()) as { raw: unknown[] };
  if (raw.length === 0) {
    const { createdAt } = await manager.findOneByOrFail(ApiKey, { id });
    if (addSeconds(createdAt, SECRET_REPLACEMENT_SECONDS) < systemClock.now()) throw keyExists(id, createdAt);
    await manager.update(ApiKey, { id, revokedAt: IsNull() }, secret);
  }
  const apiKey = await manager.findOneByOrFail(ApiKey, { id });
  await outbox.add(manager, apiKeyDecider, aggregateId(workspaceId, id), context, {
    type: 'CreateApiKey',
    apiKeyId: id,
    name,
    role,
    at: apiKey.createdAt,
    ...(permissions ? { permissions } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return { apiKey, secret: key };
}

function keyExists(apiKeyId: string, createdAt: Instant): Conflict {
  return new Conflict(
    'api_key_exists',
    `This request made the API key "${apiKeyId}" at ${createdAt}, and its answer is no longer kept; send another Idempotency-Key for another key`,
  );
}
