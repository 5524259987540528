import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import {
  canonicalEmail,
  Conflict,
  emailProblem,
  Forbidden,
  Unauthenticated,
  VISIBLE_NAME,
} from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext } from '#libs/kernel/event-store';
import { newId, systemClock } from '#libs/kernel/system';
import type { SsoConnection } from '../entities/sso-connection.entity.js';
import { SsoUser } from '../entities/sso-user.entity.js';
import { User } from '../entities/user.entity.js';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { CommandOutbox } from '../command-outbox.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { IdentityProviders, type IdentityProviderUser } from '../sso/identity-providers.js';
import { hasVerifiedDomain, SsoConnections } from '../sso/sso-connections.js';
import { SsoSignIns } from '../sso/sso-sign-ins.js';
import { userDecider } from '../user.js';
import { acceptOpenInvitation, findOpenInvitation } from '../invitations/open-invitation.js';
import { AddressReleaser } from '../users/address-releaser.js';
import { insertUser } from '../users/insert-user.js';
import type { SignInResult } from './sign-in-result.js';

/** The maximum length of a user's name. */
const MAX_NAME_LENGTH = 200;

/** The parameters of the redirect by which the provider sent the user back. */
export interface SsoRedirect {
  readonly code: string;
  readonly state: string;
  /** The issuer identifier, if the provider added it to the redirect. */
  readonly iss?: string | undefined;
}

/**
 * Completes a single sign-on. A user who signs in for the first time is found by the e-mail address, or is created if the connection allows
 * it. Throws Unauthenticated (`sso_state_invalid`, `sso_failed`) if the sign-in cannot be trusted. Throws Forbidden if the user may not
 * sign in, or if the client secret cannot be read (`sso_secret_unreadable`). Throws Conflict (`email_taken`) if a user of another workspace
 * has proved the e-mail address, and (`sso_provider_unusable`) if the provider's metadata cannot be used. Throws Unavailable if the identity
 * provider does not answer.
 */
export class CompleteSso extends Command<SignInResult> {
  constructor(
    readonly redirect: SsoRedirect,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(CompleteSso)
export class CompleteSsoHandler implements ICommandHandler<CompleteSso> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: SsoConnections,
    private readonly providers: IdentityProviders,
    private readonly signIns: SsoSignIns,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly outbox: CommandOutbox,
    private readonly releaser: AddressReleaser,
    private readonly apiKeys: ApiKeyAuthenticator,
  ) {}

  async execute({ redirect, correlationId }: CompleteSso): Promise<SignInResult> {
    const { connectionId, redirectUri, secrets } = await this.signIns.removeByState(redirect.state);
    const connection = await this.connections.find({ id: connectionId });
    if (!connection)
      throw new Unauthenticated('sso_state_invalid', 'The connection was deleted; sign in anew');
    const provided = await this.providers.exchangeCode(
      connection,
      this.connections.decryptSecret(connection),
      secrets,
      { redirectUri, code: redirect.code, iss: redirect.iss },
    );
    const { workspaceId } = connection;
    const { session, changed } = await this.dataSource.transaction(async (manager) => {
      const { user, changed: ofUser } = await this.userOf(manager, connection, provided, correlationId);
      if (user.status !== 'active')
        throw new Forbidden(
          'user_deactivated',
          'This user is deactivated; an administrator can reactivate them',
        );
      const context = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
      const started = await this.sessions.start(manager, user, 'sso', context);
      return { session: started, changed: [aggregateId(workspaceId, started.sessionId), ...ofUser] };
    });
    this.apiKeys.clearCache();
    await this.outbox.deliver(changed);
    return { user: session.user, tokens: this.accessTokens.issue(session) };
  }

  /**
   * Returns the user with the provider's subject id. At the first sign-in, returns the user with the e-mail address, or a new user. A user
   * of another workspace who never proved the address loses it.
   */
  private async userOf(
    manager: EntityManager,
    connection: SsoConnection,
    provided: IdentityProviderUser,
    correlationId: string,
  ): Promise<SsoUserFound> {
    const { id: connectionId, workspaceId } = connection;
    const { subject } = provided;
    // Two first sign-ins of one user wait for each other.
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${connectionId} ${subject}`,
    ]);
    const known = await manager.findOneBy(SsoUser, { connectionId, subject });
    const linked = known && (await manager.findOneBy(User, { id: known.userId, workspaceId }));
    if (linked) return { user: linked, changed: [] };
    const email = requireOwnEmail(connection, provided);
    const holder = await manager.findOneBy(User, { email });
    const isForeign = holder !== null && holder.workspaceId !== workspaceId;
    // The verified domain proves more than a registration, which anybody can make with any address.
    const released = isForeign ? await this.releaser.release(manager, holder, correlationId) : [];
    if (released === undefined)
      throw new Conflict('email_taken', 'A user of another workspace has this e-mail address');
    const existing = isForeign ? null : holder;
    const user = existing
      ? await this.prove(manager, existing, correlationId)
      : await this.create(manager, connection, email, provided.name, correlationId);
    const found = { user: user.user, changed: [...user.changed, ...released] };
    await manager.upsert(SsoUser, { connectionId, subject, userId: found.user.id }, [
      'connectionId',
      'subject',
    ]);
    return found;
  }

  /** Records the proof of the address of a user of the workspace. The first proof ends the access that the registration left. */
  private async prove(manager: EntityManager, user: User, correlationId: string): Promise<SsoUserFound> {
    const changed = await this.releaser.endUnprovedAccess(manager, user, correlationId);
    return { user: await manager.findOneByOrFail(User, { id: user.id }), changed };
  }

  /** Creates a user. A pending invitation of the e-mail address determines the role of the user, and is accepted. */
  private async create(
    manager: EntityManager,
    { workspaceId, defaultRole, createUsers }: SsoConnection,
    email: string,
    name: string | undefined,
    correlationId: string,
  ): Promise<SsoUserFound> {
    const invitation = await findOpenInvitation(manager, { workspaceId, email });
    if (!invitation && !createUsers)
      throw new Forbidden(
        'sso_user_unknown',
        'There is no user with this e-mail address, and the connection creates no users; an administrator must invite you',
      );
    const role = invitation?.role ?? defaultRole;
    const now = systemClock.now();
    const user: User = {
      id: newId('usr'),
      workspaceId,
      email,
      name: usableName(name) ?? email,
      passwordHash: null,
      role,
      status: 'active',
      addressProvedAt: now,
      createdAt: now,
    };
    const context = await this.sessions.commandContextAtWorkspaceTime(user, correlationId);
    const isAccepted =
      !invitation || (await acceptOpenInvitation(manager, this.outbox, invitation, user.id, context));
    if (!isAccepted || !(await insertUser(manager, user)))
      throw new Conflict('email_taken', 'Another sign-in took this e-mail address just now; start again');
    const ofUser = aggregateId(workspaceId, user.id);
    await this.outbox.add(manager, userDecider, ofUser, followUpContext(context, 'user'), {
      type: 'RegisterUser',
      userId: user.id,
      email,
      name: user.name,
      role,
      at: user.createdAt,
    });
    return { user, changed: [ofUser, ...(invitation ? [aggregateId(workspaceId, invitation.id)] : [])] };
  }
}

/** The user of a sign-in, and the aggregates that the sign-in has changed so far. */
interface SsoUserFound {
  readonly user: User;
  readonly changed: string[];
}

/**
 * Returns the name that the provider sent, of at most 200 characters. Returns undefined if the provider sent no name, or a name with
 * invisible characters. A name is only a label, so a bad name does not prevent the sign-in.
 */
function usableName(name: string | undefined): string | undefined {
  const trimmed = name?.trim().slice(0, MAX_NAME_LENGTH);
  return trimmed && VISIBLE_NAME.test(trimmed) ? trimmed : undefined;
}

/**
 * Returns the e-mail address of the user. Refuses an address outside the verified domains of the workspace, because a provider could claim
 * any address.
 */
function requireOwnEmail(connection: SsoConnection, { email, emailVerified }: IdentityProviderUser): string {
  if (email === undefined)
    throw new Forbidden(
      'sso_email_missing',
      'The identity provider sent no e-mail address; allow the client the scope "email"',
    );
  const problem = emailProblem(email);
  if (problem !== undefined)
    throw new Forbidden(
      'sso_email_invalid',
      `The e-mail address from the identity provider ${problem}. Correct it at the provider`,
    );
  if (emailVerified === false)
    throw new Forbidden('sso_email_unverified', 'The identity provider has not verified the e-mail address');
  if (!hasVerifiedDomain(connection, email))
    throw new Forbidden(
      'sso_domain_not_verified',
      'The domain of the e-mail address is not verified for the connection; an administrator can prove it',
    );
  return canonicalEmail(email);
}
