import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import type { SignInResult } from '../commands/sign-in-result.js';
import { pgClientOf } from '../pg-client-of.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { Sessions } from '../sessions/sessions.js';
import { markAddressProved } from '../users/mark-address-proved.js';
import { invalidLink } from './invalid-link.js';
import { subjectOfLink, useLink } from './link-tokens.js';

/**
 * Signs a user in with the token of a link. The token cannot be used again. Throws Unauthenticated (`invalid_link`) if the token was used,
 * has expired, is unknown, or if the user is not active. Throws Forbidden (`sso_required`) if the user must use single sign-on. If several
 * requests use the link at the same time, only one succeeds.
 */
export class SignInByLink extends Command<SignInResult> {
  constructor(
    readonly token: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(SignInByLink)
export class SignInByLinkHandler implements ICommandHandler<SignInByLink> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
  ) {}

  async execute({ token, correlationId }: SignInByLink): Promise<SignInResult> {
    const id = await subjectOfLink(this.pool, 'magic-link', token);
    const known = id === undefined ? null : await this.dataSource.manager.findOneBy(User, { id });
    if (!known) throw invalidLink();
    await this.sso.refuseIfSsoRequired(known.email, known);
    const context = await this.sessions.commandContextAtWorkspaceTime(known, correlationId);
    const { user, session } = await this.dataSource.transaction(async (manager) => {
      // Lock the user before the link. The code that ends all links of a user uses the same order, so the two cannot block each other.
      const active = await manager.findOne(User, {
        where: { id: known.id, status: 'active' },
        lock: { mode: 'pessimistic_write' },
      });
      if (!active || !(await useLink(await pgClientOf(manager), 'magic-link', token))) throw invalidLink();
      await markAddressProved(manager, active.id);
      return { user: active, session: await this.sessions.start(manager, active, 'magic_link', context) };
    });
    await this.outbox.deliver([aggregateId(user.workspaceId, session.sessionId)]);
    return { user, tokens: this.accessTokens.issue(session) };
  }
}
