import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL, ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { CommandOutbox } from '../command-outbox.js';

/**
 * Revokes an API key forever. A revoked API key is refused from now on. Throws NotFound if the key does not exist or is already revoked.
 */
export class RevokeApiKey extends Command<void> {
  constructor(
    readonly context: CommandContext,
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

  async execute({ context, apiKeyId }: RevokeApiKey): Promise<void> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, apiKeyId);
    await this.dataSource.transaction(async (manager) => {
      const active = { id: apiKeyId, workspaceId, revokedAt: IsNull() };
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
