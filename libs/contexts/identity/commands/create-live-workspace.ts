import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { Conflict, deriveId, Forbidden } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { systemClock } from '#libs/kernel/system';
import { followUpContext, idFor, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { requireWithinCallerLimits } from '../api-keys/key-limits.js';
import { requireLiveCaller } from '../api-keys/key-changes-lock.js';
import { storeNewApiKey, type NewApiKey } from '../api-keys/new-api-key.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { pgClientOf } from '../pg-client-of.js';
import type { Principal } from '../principal.js';
import { ProvedAddresses } from '../users/proved-addresses.js';
import { workspaceDecider } from '../workspace.js';

/** The id of the live workspace of a sandbox. A sandbox has only one. */
export function liveWorkspaceIdOf(sandboxId: string): string {
  return deriveId('acc', 'live workspace', sandboxId);
}

/**
 * Creates the live workspace of a sandbox, with an API key for an admin. `context` is the command context of the sandbox. If the same
 * command is repeated, the API key gets a new secret. Another command creates another key, because the caller may have lost the first key,
 * or sent the invitation to a wrong address. Throws Conflict (`already_live`) if the live workspace has a user already. Throws Forbidden
 * (`role_exceeds_own`) if the caller may not create an API key for an admin. Throws Forbidden (`address_not_proved`) if the user behind the
 * caller has not proved the e-mail address. Throws Unauthenticated (`invalid_credential`) if the caller's credential has ended meanwhile.
 */
export class CreateLiveWorkspace extends Command<NewApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly caller: Principal,
    readonly name: string | null,
  ) {
    super();
  }
}

@CommandHandler(CreateLiveWorkspace)
export class CreateLiveWorkspaceHandler implements ICommandHandler<CreateLiveWorkspace> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: WorkspaceClock,
    private readonly outbox: CommandOutbox,
    private readonly addresses: ProvedAddresses,
  ) {}

  async execute({ context, caller, name }: CreateLiveWorkspace): Promise<NewApiKey> {
    const role = 'admin';
    requireWithinCallerLimits({ role, permissions: null, expiresAt: null }, caller);
    if (!(await this.addresses.isProved(context.workspaceId, context.actor)))
      throw new Forbidden(
        'address_not_proved',
        'You have not proved your e-mail address; send POST /v1/auth/magic-link, and open the link of the mail',
      );
    const sandboxId = context.workspaceId;
    const workspaceId = liveWorkspaceIdOf(sandboxId);
    // The clock of the sandbox may stand in another year.
    const at = systemClock.now();
    const live: CommandContext = { ...context, workspaceId, now: at };
    const apiKeyId = idFor(live, 'key');
    const created = await this.dataSource.transaction(async (manager) => {
      await requireLiveCaller(manager, caller);
      const tx = await pgClientOf(manager);
      // Two requests that go live at once wait for each other.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`live ${sandboxId}`]);
      if (await manager.existsBy(User, { workspaceId }))
        throw new Conflict('already_live', `This sandbox has the live workspace ${workspaceId} already`);
      await this.clock.create(workspaceId, 'live', tx);
      await this.outbox.add(manager, workspaceDecider, workspaceId, live, {
        type: 'CreateWorkspace',
        workspaceId,
        name,
        mode: 'live',
        sandboxId,
        at,
      });
      const details = { apiKeyId, name: 'Going live', role } as const;
      return storeNewApiKey(manager, this.outbox, followUpContext(live, 'key'), details);
    });
    await this.outbox.deliver([workspaceId, aggregateId(workspaceId, apiKeyId)]);
    return created;
  }
}
