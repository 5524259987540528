import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { Conflict } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext } from '#libs/kernel/event-store';
import { newId, systemClock } from '#libs/kernel/system';
import type { SignInResult } from '../commands/sign-in-result.js';
import type { Invitation } from '../entities/invitation.entity.js';
import { User } from '../entities/user.entity.js';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { CommandOutbox } from '../command-outbox.js';
import { invalidLink } from '../links/invalid-link.js';
import { subjectOfLink } from '../links/link-tokens.js';
import { Passwords } from '../passwords/passwords.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { userDecider } from '../user.js';
import { AddressReleaser } from '../users/address-releaser.js';
import { insertUser } from '../users/insert-user.js';
import { acceptOpenInvitation, findOpenInvitation } from './open-invitation.js';

/**
 * Creates the user of an invitation, and signs the user in. The link proves that the e-mail address belongs to the user. Throws
 * Unauthenticated (`invalid_link`) if the link or the invitation is no longer valid. Throws Forbidden (`sso_required`) if the user must use
 * single sign-on. Throws InvalidRequest if the password is not acceptable. Throws Conflict (`email_taken`) if a user
 * has proved the e-mail address already. A user of another workspace who never proved it loses it. If several requests accept the
 * invitation at the same time, only one succeeds.
 */
export class AcceptInvitation extends Command<SignInResult> {
  constructor(
    readonly token: string,
    readonly name: string,
    readonly password: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(AcceptInvitation)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitation> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
    private readonly releaser: AddressReleaser,
    private readonly apiKeys: ApiKeyAuthenticator,
  ) {}

  async execute({ token, name, password, correlationId }: AcceptInvitation): Promise<SignInResult> {
    const invitation = await this.openInvitation(token);
    const { id: invitationId, workspaceId, email, role } = invitation;
    await this.sso.refuseIfSsoRequired(email, { workspaceId });
    this.passwords.requireAcceptable(password, email);
    const now = systemClock.now();
    const user: User = {
      id: newId('usr'),
      workspaceId,
      email,
      name,
      role,
      status: 'active',
      passwordHash: await this.passwords.hash(password),
      // The link of the invitation was in a mail to this address.
      addressProvedAt: now,
      createdAt: now,
    };
    const { id: userId, createdAt: at } = user;
    const context = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    const ofUser = aggregateId(workspaceId, userId);
    const ofInvitation = aggregateId(workspaceId, invitationId);
    const { session, released } = await this.dataSource.transaction(async (manager) => {
      if (!(await acceptOpenInvitation(manager, this.outbox, invitation, userId, context)))
        throw invalidLink();
      const released = await this.releaseAddress(manager, invitation, correlationId);
      if (!(await insertUser(manager, user)))
        throw new Conflict(
          'email_taken',
          'This e-mail address belongs to another user already; ask for an invitation to another address',
        );
      const details = { userId, email, name, role, at };
      await this.outbox.add(manager, userDecider, ofUser, followUpContext(context, 'user'), {
        type: 'RegisterUser',
        ...details,
      });
      const started = followUpContext(context, 'session');
      return { released, session: await this.sessions.start(manager, user, 'invitation', started) };
    });
    if (released.length > 0) this.apiKeys.clearCache();
    const changed = [ofUser, ofInvitation, aggregateId(workspaceId, session.sessionId), ...released];
    await this.outbox.deliver(changed);
    return { user, tokens: this.accessTokens.issue(session) };
  }

  /** The link proves the address, so a user of another workspace who never proved it loses it. Returns the aggregates that were changed. */
  private async releaseAddress(
    manager: EntityManager,
    { workspaceId, email }: Invitation,
    correlationId: string,
  ): Promise<string[]> {
    const holder = await manager.findOneBy(User, { email });
    if (!holder || holder.workspaceId === workspaceId) return [];
    return (await this.releaser.release(manager, holder, correlationId)) ?? [];
  }

  private async openInvitation(token: string): Promise<Invitation> {
    const id = await subjectOfLink(this.pool, 'invitation', token);
    const open = id === undefined ? null : await findOpenInvitation(this.dataSource.manager, { id });
    if (!open) throw invalidLink();
    return open;
  }
}
