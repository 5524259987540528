import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, In, type EntityManager } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { TargetPolicy } from '#libs/kernel/outbound';
import { randomToken, systemClock } from '#libs/kernel/system';
import { SsoConnection } from '../entities/sso-connection.entity.js';
import { SsoDomain } from '../entities/sso-domain.entity.js';
import { SsoUser } from '../entities/sso-user.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import type { SsoConnectionTerms } from '../events.js';
import { ssoConnectionDecider, type SsoConnectionCommand } from '../sso-connection.js';
import { normaliseTerms, requireUsableTerms, connectionTermsOf } from '../sso/connection-terms.js';
import { SsoConnections } from '../sso/sso-connections.js';

/** Creates a connection for single sign-on. Throws InvalidRequest if the issuer, a domain or a redirect URI is not usable. */
export class CreateSsoConnection extends Command<SsoConnection> {
  constructor(
    readonly context: CommandContext,
    readonly terms: SsoConnectionTerms,
    readonly clientSecret: string,
  ) {
    super();
  }
}

/**
 * Changes a connection. Verified domains that the change keeps stay verified. If the issuer changes, users are found by their e-mail
 * addresses at their next sign-in. Throws NotFound if the connection does not exist. Throws InvalidRequest if its issuer, a domain or a
 * redirect URI is not usable.
 */
export class ChangeSsoConnection extends Command<SsoConnection> {
  constructor(
    readonly context: CommandContext,
    readonly connectionId: string,
    readonly changes: Partial<SsoConnectionTerms>,
    readonly clientSecret: string | undefined,
  ) {
    super();
  }
}

/**
 * Deletes a connection. The users of a deleted connection are kept, and their sessions stay valid. Throws NotFound if the connection does
 * not exist.
 */
export class DeleteSsoConnection extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly connectionId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateSsoConnection)
export class CreateSsoConnectionHandler implements ICommandHandler<CreateSsoConnection> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: SsoConnections,
    private readonly targets: TargetPolicy,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, terms: requested, clientSecret }: CreateSsoConnection): Promise<SsoConnection> {
    const { workspaceId } = context;
    const terms = normaliseTerms(requested);
    await requireUsableTerms(this.targets, workspaceId, terms);
    const connectionId = idFor(context, 'sso');
    const aggregate = aggregateId(workspaceId, connectionId);
    await this.dataSource.transaction(async (manager) => {
      const now = systemClock.now();
      const insert = manager
        .createQueryBuilder()
        .insert()
        .into(SsoConnection)
        .values({
          id: connectionId,
          workspaceId,
          ...columnsOf(terms),
          createdAt: now,
          updatedAt: now,
          clientSecret: this.connections.encryptSecret(clientSecret),
        });
      const { raw } = (await insert.orIgnore().returning('id').execute()) as { raw: unknown[] };
      // The command is repeated; its first run has stored the connection.
      if (raw.length === 0) return;
      await replaceDomains(manager, connectionId, terms.domains);
      const command = { type: 'CreateSsoConnection', connectionId, terms } as const;
      await this.outbox.add(manager, ssoConnectionDecider, aggregate, context, command);
    });
    await this.outbox.deliver([aggregate]);
    return this.connections.get(workspaceId, connectionId);
  }
}

@CommandHandler(ChangeSsoConnection)
export class ChangeSsoConnectionHandler implements ICommandHandler<ChangeSsoConnection> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: SsoConnections,
    private readonly targets: TargetPolicy,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({
    context,
    connectionId,
    changes,
    clientSecret,
  }: ChangeSsoConnection): Promise<SsoConnection> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, connectionId);
    await this.dataSource.transaction(async (manager) => {
      // Two changes of one connection wait for each other.
      const row = await manager.findOne(SsoConnection, {
        where: { id: connectionId, workspaceId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!row) throw NotFound.of('SSO connection', connectionId);
      const domains = await manager.findBy(SsoDomain, { connectionId });
      const terms = normaliseTerms({
        ...connectionTermsOf({ ...row, domains }),
        ...withoutUndefined(changes),
      });
      await requireUsableTerms(this.targets, workspaceId, terms);
      await manager.update(
        SsoConnection,
        { id: connectionId },
        {
          ...columnsOf(terms),
          updatedAt: systemClock.now(),
          ...(clientSecret === undefined
            ? {}
            : { clientSecret: this.connections.encryptSecret(clientSecret) }),
        },
      );
      await replaceDomains(manager, connectionId, terms.domains);
      // Another provider can give the same subject id to another person. Users are therefore found by their e-mail addresses at their next
      // sign-in.
      if (terms.issuer !== row.issuer) await manager.delete(SsoUser, { connectionId });
      const secretReplaced = clientSecret !== undefined;
      const command = { type: 'ChangeSsoConnection', connectionId, terms, secretReplaced } as const;
      await this.outbox.add(manager, ssoConnectionDecider, aggregate, context, command);
    });
    await this.outbox.deliver([aggregate]);
    return this.connections.get(workspaceId, connectionId);
  }
}

@CommandHandler(DeleteSsoConnection)
export class DeleteSsoConnectionHandler implements ICommandHandler<DeleteSsoConnection> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, connectionId }: DeleteSsoConnection): Promise<void> {
    const { workspaceId } = context;
    const aggregate = aggregateId(workspaceId, connectionId);
    await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.delete(SsoConnection, { id: connectionId, workspaceId });
      if (affected !== 1) throw NotFound.of('SSO connection', connectionId);
      const command: SsoConnectionCommand = { type: 'DeleteSsoConnection', connectionId };
      await this.outbox.add(manager, ssoConnectionDecider, aggregate, context, command);
    });
    await this.outbox.deliver([aggregate]);
  }
}

/** Leaves out the fields that the request does not name, so that they stay as they are. */
function withoutUndefined(changes: Partial<SsoConnectionTerms>): Partial<SsoConnectionTerms> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function columnsOf({ domains: _, redirectUris, ...columns }: SsoConnectionTerms) {
  return { ...columns, redirectUris: [...redirectUris] };
}

/** Stores the domains of a connection. Each new domain gets its own verification token. Domains that are not in the list are removed. */
async function replaceDomains(
  manager: EntityManager,
  connectionId: string,
  domains: readonly string[],
): Promise<void> {
  const known = new Set((await manager.findBy(SsoDomain, { connectionId })).map(({ domain }) => domain));
  const removed = [...known].filter((domain) => !domains.includes(domain));
  if (removed.length > 0) await manager.delete(SsoDomain, { connectionId, domain: In(removed) });
  const added = domains.filter((domain) => !known.has(domain));
  if (added.length > 0)
    await manager.insert(
      SsoDomain,
      added.map((domain) => ({ connectionId, domain, token: randomToken(), verifiedAt: null })),
    );
}
