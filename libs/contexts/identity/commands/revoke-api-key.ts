import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL, ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { requireNoWiderKey } from '../api-keys/key-limits.js';
import type { AccessLimits } from '../principal.js';
import { CommandOutbox } from '../command-outbox.js';

/**
 * Revokes an API key forever. A revoked API key is refused from now on. Throws NotFound if the key does not exist or is already revoked. Throws
 * Forbidden (`role_exceeds_own`) if the key may do more than the caller.
 */
export class RevokeApiKey extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly caller: AccessLimits,
    readonly apiKeyId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, caller, apiKeyId }: RevokeApiKey): Promise<void> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, apiKeyId);
    await this.dataSource.transaction(async (manager) => {
      const active = { id: apiKeyId, workspaceId, revokedAt: IsNull() };
      const key = await manager.findOneBy(ApiKey, active);
      if (!key) throw NotFound.of('API key', apiKeyId);
      requireNoWiderKey(key, caller);
      const { affected } = await manager.update(ApiKey, active, { revokedAt: systemClock.now() });
      if (affected !== 1) throw NotFound.of('API key', apiKeyId);
      await this.outbox.add(manager, apiKeyDecider, aggregate, context, { type: 'RevokeApiKey', apiKeyId });
      // Other processes are notified when this transaction commits. This process clears its own cache without waiting for the notification.
      await manager.query(`SELECT pg_notify('${API_KEY_CHANGES_CHANNEL}', '')`);
    });
    this.apiKeys.clearCache();
    await this.outbox.deliver([aggregate]);
  }
}
