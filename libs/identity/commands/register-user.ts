import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { Conflict, newId, newUlid, systemClock } from '#libs/core';
import { aggregateId, follow, type CommandContext } from '#libs/event-store';
import { WorkspaceClock } from '#libs/workspaces';
import { normaliseEmail } from '../email.js';
import { User } from '../entities/user.entity.js';
import { EventOutbox } from '../event-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { userDecider } from '../user.js';
import { workspaceDecider } from '../workspace.js';
import type { SignedIn } from './signed-in.js';

/** What somebody says of themselves when they register. */
export interface Registration {
  email: string;
  password: string;
  name: string;
  companyName?: string;
}

/**
 * Creates a user and, for them to administer, a sandbox workspace; signs the user in. Conflict (`email_taken`) if the
 * address is in use, InvalidRequest if the password is not acceptable.
 */
export class RegisterUser extends Command<SignedIn> {
  constructor(
    readonly registration: Registration,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterUser)
export class RegisterUserHandler implements ICommandHandler<RegisterUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: WorkspaceClock,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: EventOutbox,
  ) {}

  async execute({ registration, correlationId }: RegisterUser): Promise<SignedIn> {
    this.passwords.requireAcceptable(registration.password, registration.email);
    const user: User = {
      id: newId('usr'),
      accountId: newId('acc'),
      email: normaliseEmail(registration.email),
      name: registration.name,
      passwordHash: await this.passwords.hash(registration.password),
      role: 'admin',
      status: 'active',
      createdAt: systemClock.now(),
    };
    const context = contextOf(user, correlationId);
    const session = await this.dataSource.transaction(async (manager) => {
      await insertUser(manager, user);
      await this.clock.create(user.accountId, 'sandbox', await connectionOf(manager));
      await this.addEvents(manager, user, registration.companyName ?? null, context);
      return this.sessions.start(manager, user, 'password', follow(context, 'session'));
    });
    const { accountId } = user;
    const aggregates = [
      accountId,
      aggregateId(accountId, user.id),
      aggregateId(accountId, session.sessionId),
    ];
    await this.outbox.deliver(aggregates);
    return { user, tokens: this.accessTokens.issue(session) };
  }

  private async addEvents(
    manager: EntityManager,
    { id: userId, accountId, email, name, role, createdAt }: User,
    workspaceName: string | null,
    context: CommandContext,
  ): Promise<void> {
    await this.outbox.add(manager, workspaceDecider, accountId, context, {
      type: 'CreateWorkspace',
      accountId,
      name: workspaceName,
      mode: 'sandbox',
      createdAt,
    });
    await this.outbox.add(manager, userDecider, aggregateId(accountId, userId), follow(context, 'user'), {
      type: 'RegisterUser',
      userId,
      email,
      name,
      role,
      createdAt,
    });
  }
}

/** The workspace does not exist yet, so its time is the world's. */
function contextOf(user: User, correlationId: string): CommandContext {
  return {
    commandId: newUlid(),
    accountId: user.accountId,
    actor: { type: 'user', id: user.id },
    correlationId,
    causationId: null,
    now: user.createdAt,
    mayRepeat: false,
  };
}

async function insertUser(manager: EntityManager, user: User): Promise<void> {
  // Not by the constraint's error: Postgres writes that to its log, and the address with it.
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(User)
    .values(user)
    .orIgnore()
    .returning('id')
    .execute();
  if ((inserted.raw as unknown[]).length > 0) return;
  throw new Conflict('email_taken', 'A user with this e-mail address exists already; log in instead', [
    { field: 'email', message: 'is taken' },
  ]);
}

/** The pg connection of a TypeORM transaction, for what speaks pg. */
async function connectionOf(manager: EntityManager): Promise<PoolClient> {
  return (await manager.queryRunner!.connect()) as PoolClient;
}
