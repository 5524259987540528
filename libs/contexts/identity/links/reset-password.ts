import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { pgClientOf } from '../pg-client-of.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { Sessions } from '../sessions/sessions.js';
import { userDecider } from '../user.js';
import { FirstProofs } from '../users/first-proofs.js';
import { invalidLink } from './invalid-link.js';
import { endLinks, subjectOfLink, useLink } from './link-tokens.js';

/**
 * Sets a new password with the token of a link. All sessions and all links of the user end. If nobody had proved the address before, the
 * person begins with a new user in a new sandbox: somebody else may have registered the address. Throws Unauthenticated (`invalid_link`) if
 * the token was used, has expired, is unknown, or if the user is not active. Throws Forbidden (`sso_required`) if the user must use single
 * sign-on. Throws InvalidRequest if the password is not acceptable; the link can then still be used.
 */
export class ResetPassword extends Command<void> {
  constructor(
    readonly token: string,
    readonly password: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(ResetPassword)
export class ResetPasswordHandler implements ICommandHandler<ResetPassword> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly proofs: FirstProofs,
  ) {}

  async execute({ token, password, correlationId }: ResetPassword): Promise<void> {
    const userId = await subjectOfLink(this.pool, 'reset-password', token);
    const known = userId === undefined ? null : await this.dataSource.manager.findOneBy(User, { id: userId });
    if (!known) throw invalidLink();
    await this.sso.refuseIfSsoRequired(known.email, known);
    this.passwords.requireAcceptable(password, known.email);
    const passwordHash = await this.passwords.hash(password);
    const context = await this.sessions.commandContextAtWorkspaceTime(known, correlationId);
    const id = aggregateId(known.workspaceId, known.id);
    const changed = await this.dataSource.transaction(async (manager) => {
      // Lock the user before the link. In another order, two resets could wait for each other.
      const user = await manager.findOne(User, {
        where: { id: known.id, status: 'active' },
        lock: { mode: 'pessimistic_write' },
      });
      const connection = await pgClientOf(manager);
      if (!user || !(await useLink(connection, 'reset-password', token))) throw invalidLink();
      if (user.addressProvedAt === null) {
        // Whoever forgot the password cannot be told from somebody who never had it.
        const by = { isRegistrant: false, passwordHash };
        return (await this.proofs.record(manager, user, by, correlationId)).changed;
      }
      await manager.update(User, { id: user.id }, { passwordHash });
      await endLinks(connection, user.id);
      const command = { type: 'ResetPassword', userId: user.id } as const;
      await this.outbox.add(manager, userDecider, id, context, command);
      return [id, ...(await this.sessions.endAllOfUser(manager, user, 'password_reset', context))];
    });
    this.apiKeys.clearCache();
    await this.outbox.deliver(changed);
  }
}
