import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import type { Access, Role } from '#libs/manifest';
import { storeNewApiKey, type NewApiKey } from '../api-keys/new-api-key.js';
import { readPermissionLimit, requireWithinOwn } from '../api-keys/permission-limit.js';
import { EventOutbox } from '../event-outbox.js';

/** What an API key is requested with. */
export interface RequestedApiKey {
  readonly name: string;
  readonly role: Role;
  /** The permissions of the role that the key is restricted to. Absent if it gets all of them. */
  readonly permissions?: readonly string[] | undefined;
  /** An instant in the future, by the machine's clock. Absent if the key does not expire. */
  readonly expiresAt?: Instant | undefined;
}

/**
 * Creates an API key. Throws Forbidden (`role_exceeds_own`) if the new key would have a permission that the caller does not have. Throws
 * InvalidRequest for a permission that the role does not have, and for an expiry that is not in the future.
 */
export class CreateApiKey extends Command<NewApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly caller: Access,
    readonly requested: RequestedApiKey,
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

  async execute({ context, caller, requested }: CreateApiKey): Promise<NewApiKey> {
    const { name, role, expiresAt } = requested;
    const permissions = requested.permissions && readPermissionLimit(role, requested.permissions);
    requireWithinOwn({ role, permissions: permissions ?? null }, caller);
    const now = systemClock.now();
    if (expiresAt !== undefined && expiresAt <= now)
      throw InvalidRequest.field('expiresAt', `must be in the future; it is ${now}`);
    const apiKeyId = idFor(context, 'key');
    const details = {
      ...{ apiKeyId, name, role },
      ...(permissions ? { permissions } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const created = await this.dataSource.transaction((manager) =>
      storeNewApiKey(manager, this.outbox, context, details),
    );
    await this.outbox.deliver([aggregateId(context.workspaceId, apiKeyId)]);
    return created;
  }
}
