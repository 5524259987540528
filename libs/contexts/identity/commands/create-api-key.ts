import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { Forbidden } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { apiKeyDecider } from '../api-key.js';
import { generateApiKey, hashApiKey } from '../api-keys/api-key-format.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { EventOutbox } from '../event-outbox.js';
import { isSubsetOf, type Role } from '#libs/manifest';

/** A newly created key with its secret, which cannot be read again later. */
export interface NewApiKey {
  apiKey: ApiKey;
  key: string;
}

/**
 * Creates an API key. Throws Forbidden (`role_exceeds_own`) if the new key's role has a permission that the caller's role does not have.
 */
export class CreateApiKey extends Command<NewApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly callerRole: Role,
    readonly name: string,
    readonly role: Role,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: EventOutbox,
  ) {}

  async execute({ context, callerRole, name, role }: CreateApiKey): Promise<NewApiKey> {
    if (!isSubsetOf(role, callerRole))
      throw new Forbidden('role_exceeds_own', `A ${callerRole} cannot make a key with the role ${role}`);
    const { workspaceId } = context;
    const key = generateApiKey();
    const id = idFor(context, 'key');
    const secret = { hash: hashApiKey(key), last4: key.slice(-4) };
    const aggregate = aggregateId(workspaceId, id);
    const apiKey = await this.dataSource.transaction(async (manager) => {
      const made = {
        id,
        workspaceId,
        name,
        role,
        createdAt: systemClock.now(),
        lastUsedAt: null,
        revokedAt: null,
      };
      const insert = manager
        .createQueryBuilder()
        .insert()
        .into(ApiKey)
        .values({ ...made, ...secret });
      const { raw } = (await insert.orIgnore().returning('id').execute()) as { raw: unknown[] };
      // The command is repeated. Its first run crashed before it could return the key, so the record gets a new key.
      if (raw.length === 0) await manager.update(ApiKey, { id, revokedAt: IsNull() }, secret);
      const apiKey = await manager.findOneByOrFail(ApiKey, { id });
      const command = {
        type: 'CreateApiKey',
        apiKeyId: id,
        name,
        role,
        at: apiKey.createdAt,
      } as const;
      await this.outbox.add(manager, apiKeyDecider, aggregate, context, command);
      return apiKey;
    });
    await this.outbox.deliver([aggregate]);
    return { apiKey, key };
  }
}
