import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan, MoreThan, type EntityManager } from 'typeorm';
import { addSeconds, Forbidden, Unauthenticated, type Instant } from '#libs/kernel/core';
import { newId, randomToken, systemClock, type Settings } from '#libs/kernel/system';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { commandContextOfUser } from '../command-context-of-user.js';
import { RefreshToken } from '../entities/refresh-token.entity.js';
import { Session } from '../entities/session.entity.js';
import { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import type { SignInMethod } from '../events.js';
import { SETTINGS } from '#libs/kernel/app';
import { SsoConnections } from '../sso/sso-connections.js';
import { sessionDecider, type SessionEndReason } from '../session.js';

/** A session with its current refresh token. The refresh token cannot be read again later. */
export interface SessionWithRefreshToken {
  user: User;
  sessionId: string;
  refreshToken: string;
}

const SECONDS_A_DAY = 86_400;

/** Manages sessions and their refresh tokens. All times are from the machine's clock, not from a workspace's clock. */
@Injectable()
export class Sessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: WorkspaceClock,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Starts a session in the transaction of `manager`. After the commit, the caller must deliver the events of the session. Also deletes the
   * user's expired sessions. Throws Unauthenticated (`invalid_credentials`) if the user was deactivated, or if the password changed, since
   * `user` was read. Because of this check, a session that is just being started cannot escape a command that ends all sessions of the
   * user.
   */
  async start(
    manager: EntityManager,
    user: User,
    method: SignInMethod,
    context: CommandContext,
  ): Promise<SessionWithRefreshToken> {
    const { id, passwordHash } = user;
    const unchanged = await manager.findOne(User, {
      where: { id, passwordHash: passwordHash ?? IsNull(), status: 'active' },
      lock: { mode: 'pessimistic_read' },
    });
    if (!unchanged) throw new Unauthenticated('invalid_credentials', 'E-mail address or password is wrong');
    const now = systemClock.now();
    const session = {
      id: newId('ses'),
      userId: user.id,
      createdAt: now,
      method,
      expiresAt: this.expiry(now),
    };
    await manager.delete(Session, { userId: user.id, expiresAt: LessThan(now) });
    await manager.insert(Session, { ...session, endedAt: null, endReason: null });
    const command = { type: 'StartSession', sessionId: session.id, userId: user.id, method } as const;
    await this.outbox.add(
      manager,
      sessionDecider,
      aggregateId(user.workspaceId, session.id),
      context,
      command,
    );
    const refreshToken = await this.addToken(manager, session.id, session.expiresAt);
    return { user, sessionId: session.id, refreshToken };
  }

  /**
   * Exchanges a refresh token for the next one. If the refresh token was used before, the session ends, because one of the two parties that
   * used the token must have stolen it. If another request uses the refresh token while this request runs, only this request is refused,
   * and the session continues. Two tabs of one browser can cause such simultaneous requests. Throws Unauthenticated
   * (`invalid_refresh_token`) if the refresh token is refused for any reason. The error does not reveal why the refresh token was refused.
   * Throws Forbidden (`sso_required`) and ends the session if single sign-on is required now and the user did not sign in by it.
   */
  async rotateRefreshToken(refreshToken: string, correlationId: string): Promise<SessionWithRefreshToken> {
    const hash = hashOf(refreshToken);
    const now = systemClock.now();
    const known = await this.dataSource.manager.findOneBy(RefreshToken, { hash });
    if (!known || known.expiresAt <= now) throw invalidRefreshToken();
    if (known.spentAt !== null) {
      await this.end(known.sessionId, 'refresh_token_reused', correlationId);
      throw invalidRefreshToken();
    }
    const { sessionId } = known;
    await this.endIfSsoRequired(sessionId, correlationId);
    return this.dataSource.transaction(async (manager) => {
      const spent = await manager.update(RefreshToken, { hash, spentAt: IsNull() }, { spentAt: now });
      if (spent.affected !== 1) throw invalidRefreshToken();
      const expiresAt = this.expiry(now);
      const live = await manager.update(Session, { id: sessionId, endedAt: IsNull() }, { expiresAt });
      const session = live.affected === 1 ? await findLive(manager, sessionId) : null;
      if (!session) throw invalidRefreshToken();
      await manager.delete(RefreshToken, { sessionId, expiresAt: LessThan(now) });
      return {
        user: session.user,
        sessionId,
        refreshToken: await this.addToken(manager, sessionId, expiresAt),
      };
    });
  }

  /**
   * Single sign-on may have become required since the session began. A session with an unknown sign-in method ends too, because its user
   * can sign in again by single sign-on.
   */
  private async endIfSsoRequired(sessionId: string, correlationId: string): Promise<void> {
    const session = await findLive(this.dataSource.manager, sessionId);
    if (!session || session.method === 'sso') return;
    try {
      await this.sso.refuseIfSsoRequired(session.user.email, session.user);
    } catch (error) {
      // Any other error, such as a lost connection to the database, says nothing about single sign-on.
      if (error instanceof Forbidden && error.code === 'sso_required')
        await this.end(sessionId, 'sso_required', correlationId);
      throw error;
    }
  }

  /**
   * Ends a session. The refresh tokens and access tokens of an ended session are refused from now on. Does nothing if the session has
   * already ended.
   */
  async end(sessionId: string, reason: SessionEndReason, correlationId: string): Promise<void> {
    const session = await findLive(this.dataSource.manager, sessionId);
    if (!session) return;
    const { user } = session;
    const context = await this.commandContextAtWorkspaceTime(user, correlationId);
    const id = aggregateId(user.workspaceId, sessionId);
    await this.dataSource.transaction(async (manager) => {
      const change = { endedAt: systemClock.now(), endReason: reason };
      const ended = await manager.update(Session, { id: sessionId, endedAt: IsNull() }, change);
      if (ended.affected !== 1) return;
      const command = { type: 'EndSession', sessionId, userId: user.id, reason } as const;
      await this.outbox.add(manager, sessionDecider, id, context, command);
    });
    await this.outbox.deliver([id]);
  }

  /**
   * Ends all open sessions of a user in the transaction of `manager`. Returns the aggregate ids of the ended sessions. After the commit,
   * the caller must deliver the events of these aggregates.
   */
  async endAllOfUser(
    manager: EntityManager,
    { id: userId, workspaceId }: User,
    reason: SessionEndReason,
    context: CommandContext,
  ): Promise<string[]> {
    const now = systemClock.now();
    const open = await manager.find(Session, {
      where: { userId, endedAt: IsNull(), expiresAt: MoreThan(now) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    const ended = open.map(({ id }) => id);
    if (ended.length === 0) return [];
    await manager.update(Session, { id: In(ended) }, { endedAt: now, endReason: reason });
    await this.outbox.addAll(
      manager,
      sessionDecider,
      ended.map((sessionId) => ({
        aggregateId: aggregateId(workspaceId, sessionId),
        context: followUpContext(context, sessionId),
        command: { type: 'EndSession', sessionId, userId, reason },
      })),
    );
    return ended.map((sessionId) => aggregateId(workspaceId, sessionId));
  }

  /**
   * Returns the id of the session of a refresh token, even if the token was used already. Returns undefined if the refresh token does not
   * exist.
   */
  async findIdByRefreshToken(refreshToken: string): Promise<string | undefined> {
    const token = await this.dataSource.manager.findOneBy(RefreshToken, { hash: hashOf(refreshToken) });
    return token?.sessionId;
  }

  /** The user of a session. Returns undefined if the session has ended, or if the user is not active. */
  async userOf(sessionId: string): Promise<User | undefined> {
    return (await findLive(this.dataSource.manager, sessionId))?.user;
  }

  /** Returns the context of a command by which users change their own sessions, with the time of the workspace's clock. */
  async commandContextAtWorkspaceTime(
    user: Pick<User, 'id' | 'workspaceId'>,
    correlationId: string,
  ): Promise<CommandContext> {
    return commandContextOfUser(user, correlationId, await this.clock.now(user.workspaceId));
  }

  private async addToken(manager: EntityManager, sessionId: string, expiresAt: Instant): Promise<string> {
    const refreshToken = randomToken(32);
    await manager.insert(RefreshToken, { hash: hashOf(refreshToken), sessionId, expiresAt, spentAt: null });
    return refreshToken;
  }

  private expiry(now: Instant): Instant {
    return addSeconds(now, this.settings.refreshTokenDays * SECONDS_A_DAY);
  }
}

async function findLive(manager: EntityManager, sessionId: string): Promise<Session | null> {
  return manager.findOne(Session, {
    where: { id: sessionId, endedAt: IsNull(), user: { status: 'active' } },
    relations: { user: true },
  });
}

function hashOf(refreshToken: string): Buffer {
  return createHash('sha256').update(refreshToken).digest();
}

function invalidRefreshToken(): Unauthenticated {
  return new Unauthenticated(
    'invalid_refresh_token',
    'The refresh token is not valid, or was used before; sign in again',
  );
}
