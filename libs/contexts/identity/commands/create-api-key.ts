import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import type { Role } from '#libs/manifest';
import { storeNewApiKey, type NewApiKey } from '../api-keys/new-api-key.js';
import {
  readPermissionLimit,
  requireFutureExpiry,
  requireWithinCallerLimits,
} from '../api-keys/key-limits.js';
import { requireLiveCaller } from '../api-keys/key-changes-lock.js';
import { CommandOutbox } from '../command-outbox.js';
import type { Principal } from '../principal.js';

/** The data of a request for a new API key. */
export interface RequestedApiKey {
  readonly name: string;
  readonly role: Role;
  /** The only permissions of the key, out of those of its role. Absent if the key gets all permissions of its role. */
  readonly permissions?: readonly string[] | undefined;
  /** An instant in the future, by the machine's clock. Absent if the key does not expire. */
  readonly expiresAt?: Instant | undefined;
}

/**
 * Creates an API key. Throws Forbidden (`role_exceeds_own`, `expiry_exceeds_own`) if the new key would have more permissions than the
 * caller, or would expire later than the caller's own key. Throws InvalidRequest for a permission that the role does not have, and for an
 * expiry that is not in the future. Throws Unauthenticated (`invalid_credential`) if the caller's credential has ended meanwhile.
 */
export class CreateApiKey extends Command<NewApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly caller: Principal,
    readonly requested: RequestedApiKey,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, caller, requested }: CreateApiKey): Promise<NewApiKey> {
    const { name, role, expiresAt } = requested;
    const permissions = requested.permissions && readPermissionLimit(role, requested.permissions);
    requireFutureExpiry(expiresAt);
    requireWithinCallerLimits(
      { role, permissions: permissions ?? null, expiresAt: expiresAt ?? null },
      caller,
    );
    const apiKeyId = idFor(context, 'key');
    const details = {
      apiKeyId,
      name,
      role,
      ...(permissions ? { permissions } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const created = await this.dataSource.transaction(async (manager) => {
      await requireLiveCaller(manager, caller);
      return storeNewApiKey(manager, this.outbox, context, details);
    });
    await this.outbox.deliver([aggregateId(context.workspaceId, apiKeyId)]);
    return created;
  }
}
