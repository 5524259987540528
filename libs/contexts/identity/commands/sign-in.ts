import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { canonicalEmail, Unauthenticated } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { SsoConnections } from '../sso/sso-connections.js';
import type { SignInResult } from './sign-in-result.js';

/**
 * Signs a user in with an e-mail address and a password. Throws Unauthenticated (`invalid_credentials`) if the address and the password do
 * not match. Throws Forbidden (`sso_required`) if a connection requires single sign-on for the address. The response and its duration do
 * not reveal whether the user exists.
 */
export class SignIn extends Command<SignInResult> {
  constructor(
    readonly email: string,
    readonly password: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
  ) {}

  async execute({ email, password, correlationId }: SignIn): Promise<SignInResult> {
    const known = await this.dataSource.manager.findOneBy(User, { email: canonicalEmail(email) });
    const { matches, outdated } = await this.passwords.check(known?.passwordHash, password);
    // With a wrong password, the user counts as unknown. A user of another workspace may sign in by a password, and must get the same error
    // as an unknown address.
    await this.sso.refuseIfSsoRequired(email, matches ? known : null);
    if (!known || !matches || known.status !== 'active')
      throw new Unauthenticated('invalid_credentials', 'E-mail address or password is wrong');
    const user = outdated ? await this.rehash(known, password) : known;
    const context = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    const session = await this.dataSource.transaction((manager) =>
      this.sessions.start(manager, user, 'password', context),
    );
    await this.outbox.deliver([aggregateId(user.workspaceId, session.sessionId)]);
    return { user, tokens: this.accessTokens.issue(session) };
  }

  /**
   * Replaces an outdated password hash at sign-in, because the password is known only at sign-in. A password hash that was changed
   * meanwhile is not replaced.
   */
  private async rehash(user: User, password: string): Promise<User> {
    const { id, passwordHash } = user;
    const anew = { passwordHash: await this.passwords.hash(password) };
    const { affected } = await this.dataSource.manager.update(User, { id, passwordHash }, anew);
    // Another sign-in may have replaced the hash at the same time.
    return affected === 1 ? { ...user, ...anew } : this.dataSource.manager.findOneByOrFail(User, { id });
  }
}
