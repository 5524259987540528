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
import { isWithin, type Role } from '#libs/manifest';

/** A key that was made just now, with the key itself, which is not known to anybody afterwards. */
export interface NewApiKey {
  apiKey: ApiKey;
  key: string;
}

/** Makes an API key. Forbidden (`role_exceeds_own`) if its role could do what the caller's cannot. */
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
    if (!isWithin(role, callerRole))
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
      // The same command again: its first run broke off before the key could be told to anybody, so it gets a new one.
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
