import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL, ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { pgClientOf } from '../pg-client-of.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { Sessions } from '../sessions/sessions.js';
import { userDecider } from '../user.js';
import { markAddressProved } from '../users/mark-address-proved.js';
import { WorkspaceUserFinder } from '../workspace-user-finder.js';
import { invalidLink } from './invalid-link.js';
import { endLinks, subjectOfLink, useLink } from './link-tokens.js';

/**
 * Sets a new password with the token of a link. All sessions and all links of the user end. If the user had never proved to read mail at
 * the address, the API keys that the user created are revoked: somebody else may have registered the address. Throws Unauthenticated (`invalid_link`) if
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
    private readonly people: WorkspaceUserFinder,
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
    const ended = await this.dataSource.transaction(async (manager) => {
      // Lock the user before the link. In another order, two resets could wait for each other.
      const user = await manager.findOne(User, {
        where: { id: known.id, status: 'active' },
        lock: { mode: 'pessimistic_write' },
      });
      const connection = await pgClientOf(manager);
      if (!user || !(await useLink(connection, 'reset-password', token))) throw invalidLink();
      await manager.update(User, { id: user.id }, { passwordHash });
      const keys = user.addressProvedAt === null ? await this.revokeKeys(manager, user, context) : [];
      await markAddressProved(manager, user.id);
      await endLinks(connection, user.id);
      const command = { type: 'ResetPassword', userId: user.id } as const;
      await this.outbox.add(manager, userDecider, id, context, command);
      return [...keys, ...(await this.sessions.endAllOfUser(manager, user, 'password_reset', context))];
    });
    this.apiKeys.clearCache();
    await this.outbox.deliver([id, ...ended]);
  }

  /**
   * Revokes the API keys that the user created, directly or by means of other keys. A key whose creator is not known is revoked too, since
   * the event of a new key can still wait. Returns the aggregates of the keys.
   */
  private async revokeKeys(manager: EntityManager, user: User, context: CommandContext): Promise<string[]> {
    const { workspaceId } = user;
    const revoked: string[] = [];
    for (const { id: apiKeyId } of await manager.findBy(ApiKey, { workspaceId, revokedAt: IsNull() })) {
      const creator = await this.people.userIdOfActor(workspaceId, { type: 'api_key', id: apiKeyId });
      if (creator !== null && creator !== user.id) continue;
      const active = { id: apiKeyId, workspaceId, revokedAt: IsNull() };
      const { affected } = await manager.update(ApiKey, active, { revokedAt: systemClock.now() });
      if (affected !== 1) continue;
      const aggregate = aggregateId(workspaceId, apiKeyId);
      const step = followUpContext(context, `revoke ${apiKeyId}`);
      await this.outbox.add(manager, apiKeyDecider, aggregate, step, { type: 'RevokeApiKey', apiKeyId });
      revoked.push(aggregate);
    }
    // Other processes are notified when this transaction commits.
    if (revoked.length > 0) await manager.query(`SELECT pg_notify('${API_KEY_CHANGES_CHANNEL}', '')`);
    return revoked;
  }
}
