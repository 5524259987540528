import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { addSeconds, Conflict, earlierOf, NotFound, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL, ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { requireLiveCaller } from '../api-keys/key-changes-lock.js';
import { storeNewApiKey, type NewApiKey } from '../api-keys/new-api-key.js';
import { requireFutureExpiry, requireWithinCallerLimits } from '../api-keys/key-limits.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import type { Principal } from '../principal.js';

/** The data of a request to replace an API key. */
export interface RequestedRotation {
  /** The number of seconds for which the old key is still accepted. */
  readonly overlapSeconds: number;
  /** The expiry of the new key, in the future. Absent if the new key does not expire. */
  readonly expiresAt?: Instant | undefined;
}

/**
 * Replaces an API key by a new one with the same name, role and permissions. The old key expires after `overlapSeconds`, or at its own
 * expiry if that is earlier. Throws NotFound if the key does not exist or is revoked. Throws Conflict (`api_key_not_active`) if the key has
 * expired. Throws Conflict (`api_key_rotated`) if another key has replaced it. Throws Forbidden (`role_exceeds_own`, `expiry_exceeds_own`)
 * if the new key would have more permissions than the caller, or would expire later than the caller's own key. Throws InvalidRequest if the
 * new expiry is not in the future. Throws Unauthenticated (`invalid_credential`) if the caller's credential has ended meanwhile. A repeated
 * command checks no expiry again, and gives the new key a new secret.
 */
export class RotateApiKey extends Command<NewApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly caller: Principal,
    readonly apiKeyId: string,
    readonly rotation: RequestedRotation,
  ) {
    super();
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, caller, apiKeyId, rotation }: RotateApiKey): Promise<NewApiKey> {
    const { workspaceId } = context;
    const { overlapSeconds, expiresAt: newExpiry } = rotation;
    const newId = idFor(context, 'key');
    const rotated = await this.dataSource.transaction(async (manager) => {
      await requireLiveCaller(manager, caller);
      // Two rotations of one key wait for each other.
      const old = await manager.findOne(ApiKey, {
        where: { id: apiKeyId, workspaceId, revokedAt: IsNull() },
        lock: { mode: 'pessimistic_write' },
      });
      if (!old) throw NotFound.of('API key', apiKeyId);
      const { name, role, permissions } = old;
      // A repeated command finds the key replaced by its own new key.
      const isRepeated = old.replacedBy === newId;
      if (!isRepeated) requireFutureExpiry(newExpiry);
      requireWithinCallerLimits(
        { role, permissions, expiresAt: newExpiry ?? null },
        // The first run has checked the expiry, and has given a key that rotates itself an expiry.
        isRepeated ? { ...caller, expiresAt: null } : caller,
      );
      const now = systemClock.now();
      if (old.replacedBy !== null && !isRepeated)
        throw new Conflict(
          'api_key_rotated',
          `The API key was replaced by "${old.replacedBy}"; rotate that one`,
        );
      if (old.replacedBy === null) {
        if (old.expiresAt !== null && old.expiresAt <= now)
          throw new Conflict(
            'api_key_not_active',
            `The API key expired at ${old.expiresAt}; create another one`,
          );
        const end = addSeconds(now, overlapSeconds);
        const expiresAt = old.expiresAt === null ? end : earlierOf(end, old.expiresAt);
        await manager.update(ApiKey, { id: apiKeyId }, { replacedBy: newId, expiresAt });
        await this.outbox.add(manager, apiKeyDecider, aggregateId(workspaceId, apiKeyId), context, {
          type: 'RotateApiKey',
          apiKeyId,
          replacedBy: newId,
          expiresAt,
        });
      }
      // Other processes are notified when this transaction commits, and read the expiry again.
      await manager.query(`SELECT pg_notify('${API_KEY_CHANGES_CHANNEL}', '')`);
      return storeNewApiKey(manager, this.outbox, context, {
        apiKeyId: newId,
        name,
        role,
        ...(permissions ? { permissions } : {}),
        ...(newExpiry === undefined ? {} : { expiresAt: newExpiry }),
      });
    });
    this.apiKeys.clearCache();
    await this.outbox.deliver([aggregateId(workspaceId, apiKeyId), aggregateId(workspaceId, newId)]);
    return rotated;
  }
}
