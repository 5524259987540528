import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { CommandOutbox } from '../command-outbox.js';
import { User } from '../entities/user.entity.js';
import { endLinks } from '../links/link-tokens.js';
import { pgClientOf } from '../pg-client-of.js';
import type { SessionEndReason } from '../session.js';
import { Sessions } from '../sessions/sessions.js';
import { userDecider } from '../user.js';
import { markAddressProved } from './mark-address-proved.js';
import { WorkspaceKeyRevoker } from './workspace-key-revoker.js';

/** Takes an e-mail address from a user who never proved to read mail there. */
@Injectable()
export class AddressReleaser {
  constructor(
    private readonly outbox: CommandOutbox,
    private readonly sessions: Sessions,
    private readonly keys: WorkspaceKeyRevoker,
  ) {}

  /**
   * Takes the address from the user, if nobody has proved it meanwhile. The user is deactivated and keeps an address that cannot exist. All
   * sessions and links of the user end, and all API keys of the workspace are revoked. The workspace of the user stays, also without
   * an active admin. Returns undefined if the address was proved meanwhile. Otherwise returns the aggregates that were changed, whose
   * events the caller must deliver after the commit.
   */
  async release(
    manager: EntityManager,
    { id, workspaceId }: User,
    correlationId: string,
  ): Promise<string[] | undefined> {
    const user = await manager.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!user || user.addressProvedAt !== null) return undefined;
    const context: CommandContext = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    const released = { email: `${id.toLowerCase()}@released.invalid`, status: 'deactivated' } as const;
    await manager.update(User, { id }, released);
    const aggregate = aggregateId(workspaceId, id);
    const command = { type: 'ReleaseAddress', userId: id } as const;
    await this.outbox.add(
      manager,
      userDecider,
      aggregate,
      followUpContext(context, 'release address'),
      command,
    );
    return [aggregate, ...(await this.endAccess(manager, user, 'user_deactivated', context))];
  }

  /**
   * Leaves the address to the user, for a proof by single sign-on of the user's own workspace: whoever verified the domain answers for the
   * workspace. The password, all sessions and all links of the user end, and all API keys of the workspace. Does nothing if the address is
   * proved. Returns the aggregates that were changed, whose events the caller must deliver after the commit.
   */
  async endUnprovedAccess(manager: EntityManager, { id }: User, correlationId: string): Promise<string[]> {
    const user = await manager.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!user || user.addressProvedAt !== null) return [];
    await markAddressProved(manager, id);
    const context: CommandContext = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    return this.endAccess(manager, user, 'revoked', context);
  }

  private async endAccess(
    manager: EntityManager,
    user: User,
    reason: SessionEndReason,
    context: CommandContext,
  ): Promise<string[]> {
    await manager.update(User, { id: user.id }, { passwordHash: null });
    await endLinks(await pgClientOf(manager), user.id);
    const revoked = await this.keys.revokeAll(manager, user.workspaceId, context);
    return [...revoked, ...(await this.sessions.endAllOfUser(manager, user, reason, context))];
  }
}
