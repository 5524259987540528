import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Unauthenticated } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import type { SignInResult } from '../commands/sign-in-result.js';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { commandContextOfUser } from '../command-context-of-user.js';
import { pgClientOf } from '../pg-client-of.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { Sessions } from '../sessions/sessions.js';
import { FirstProofs } from '../users/first-proofs.js';
import { invalidLink } from './invalid-link.js';
import { subjectOfLink, useLink } from './link-tokens.js';

/** A signed-in user. `newWorkspace` is true if the person began with a new sandbox. */
export interface SignInByLinkResult extends SignInResult {
  newWorkspace: boolean;
}

/**
 * Signs a user in with the token of a link. The token cannot be used again. If nobody had proved the address before, the person begins with
 * a new user in a new sandbox, unless `password` is that of the registration. Throws Unauthenticated (`invalid_credentials`) if it is
 * another one; the link can then still be used. Throws Unauthenticated (`invalid_link`) if the token was used,
 * has expired, is unknown, or if the user is not active. Throws Forbidden (`sso_required`) if the user must use single sign-on. If several
 * requests use the link at the same time, only one succeeds.
 */
export class SignInByLink extends Command<SignInByLinkResult> {
  constructor(
    readonly token: string,
    readonly correlationId: string,
    /** The password of the registration. Only the first proof of an address needs it. */
    readonly password?: string,
  ) {
    super();
  }
}

@CommandHandler(SignInByLink)
export class SignInByLinkHandler implements ICommandHandler<SignInByLink> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly proofs: FirstProofs,
  ) {}

  async execute({ token, correlationId, password }: SignInByLink): Promise<SignInByLinkResult> {
    const id = await subjectOfLink(this.pool, 'magic-link', token);
    const known = id === undefined ? null : await this.dataSource.manager.findOneBy(User, { id });
    if (!known) throw invalidLink();
    await this.sso.refuseIfSsoRequired(known.email, known);
    const isRegistrant = await this.isRegistrant(known, password);
    const proved = await this.dataSource.transaction(async (manager) => {
      // Lock the user before the link. The code that ends all links of a user uses the same order, so the two cannot block each other.
      const active = await manager.findOne(User, {
        where: { id: known.id, status: 'active' },
        lock: { mode: 'pessimistic_write' },
      });
      if (!active || !(await useLink(await pgClientOf(manager), 'magic-link', token))) throw invalidLink();
      // The password was checked before the lock.
      if (isRegistrant && active.passwordHash !== known.passwordHash) throw wrongPassword();
      const by = { isRegistrant, passwordHash: null };
      const { user, changed, isNew } = await this.proofs.record(manager, active, by, correlationId);
      const context = isNew
        ? commandContextOfUser(user, correlationId, user.createdAt)
        : await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
      return {
        user,
        changed,
        isNew,
        session: await this.sessions.start(manager, user, 'magic_link', context),
      };
    });
    const { user, changed, isNew, session } = proved;
    if (isNew) this.apiKeys.clearCache();
    await this.outbox.deliver([aggregateId(user.workspaceId, session.sessionId), ...changed]);
    return { user, tokens: this.accessTokens.issue(session), newWorkspace: isNew };
  }

  /** Tells whether the person knows the password with which the address was registered. Only the first proof of an address asks for it. */
  private async isRegistrant(user: User, password: string | undefined): Promise<boolean> {
    if (password === undefined || user.addressProvedAt !== null) return false;
    const { matches } = await this.passwords.check(user.passwordHash, password);
    if (!matches) throw wrongPassword();
    return true;
  }
}

function wrongPassword(): Unauthenticated {
  return new Unauthenticated(
    'invalid_credentials',
    'The password is not the one of the registration; leave it out to begin with a new sandbox',
  );
}
