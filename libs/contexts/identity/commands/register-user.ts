import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { canonicalEmail, Conflict } from '#libs/kernel/core';
import { newId, systemClock } from '#libs/kernel/system';
import { followUpContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { commandContextOfUser } from '../command-context-of-user.js';
import type { User } from '../entities/user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { Passwords } from '../passwords/passwords.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { RegistrationKeys, type RegistrationRequest } from '../registration-keys.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { Registrations } from '../users/registrations.js';
import type { SignInResult } from './sign-in-result.js';

/** A signed-in user. `repeated` is true if an earlier request created the user. */
export interface UserRegistrationResult extends SignInResult {
  repeated: boolean;
}

/**
 * Creates a user and a sandbox workspace, and signs the user in. The user is the administrator of the workspace. A repeated request with
 * the same idempotency key, e-mail address, password and names creates nothing. A repeated request signs in the user of the earlier
 * request, as {@link SignIn} would. Throws Conflict (`email_taken`) if the address is in use. Throws Conflict (`idempotency_key_reused`) if
 * an earlier request with this key was different. Throws Forbidden (`sso_required`) if the registered user must use single sign-on by now.
 * Throws InvalidRequest if the password is not acceptable.
 */
export class RegisterUser extends Command<UserRegistrationResult> {
  constructor(
    readonly registration: RegistrationRequest,
    readonly correlationId: string,
    readonly idempotencyKey?: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterUser)
export class RegisterUserHandler implements ICommandHandler<RegisterUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly registrations: Registrations,
    private readonly passwords: Passwords,
    private readonly keys: RegistrationKeys,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly sso: SsoConnections,
  ) {}

  async execute({
    registration,
    correlationId,
    idempotencyKey: key,
  }: RegisterUser): Promise<UserRegistrationResult> {
    this.passwords.requireAcceptable(registration.password, registration.email);
    const user: User = {
      id: newId('usr'),
      workspaceId: newId('acc'),
      email: canonicalEmail(registration.email),
      name: registration.name,
      passwordHash: await this.passwords.hash(registration.password),
      role: 'admin',
      status: 'active',
      addressProvedAt: null,
      createdAt: systemClock.now(),
    };
    // The workspace and its clock do not exist yet, so the time is the machine's.
    const context = commandContextOfUser(user, correlationId, user.createdAt);
    const session = await this.dataSource.transaction(async (manager) => {
      const { companyName = null } = registration;
      if (!(await this.registrations.store(manager, user, companyName, context))) return undefined;
      if (key !== undefined) await this.keys.store(manager, user.id, registration, key);
      return this.sessions.start(manager, user, 'password', followUpContext(context, 'session'));
    });
    if (!session) return this.repeat(registration, correlationId, key);
    const { workspaceId } = user;
    const aggregates = [
      workspaceId,
      aggregateId(workspaceId, user.id),
      aggregateId(workspaceId, session.sessionId),
    ];
    await this.outbox.deliver(aggregates);
    return { user, tokens: this.accessTokens.issue(session), repeated: false };
  }

  /** Handles a request whose e-mail address is in use. If an equal request of the same client created the user, the user is signed in. */
  private async repeat(
    registration: RegistrationRequest,
    correlationId: string,
    key: string | undefined,
  ): Promise<UserRegistrationResult> {
    const user = key === undefined ? undefined : await this.keys.findRegisteredUser(registration, key);
    if (!user)
      throw new Conflict('email_taken', 'A user with this e-mail address exists already; log in instead', [
        { field: 'email', message: 'is taken' },
      ]);
    await this.sso.refuseIfSsoRequired(user.email, user);
    const context = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    const session = await this.dataSource.transaction((manager) =>
      this.sessions.start(manager, user, 'password', context),
    );
    const { workspaceId } = user;
    // The events of the first attempt can still be in the outbox. Deliver them first, because the session must not begin before its user
    // exists.
    await this.outbox.deliver([
      workspaceId,
      aggregateId(workspaceId, user.id),
      aggregateId(workspaceId, session.sessionId),
    ]);
    return { user, tokens: this.accessTokens.issue(session), repeated: true };
  }
}
