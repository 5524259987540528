import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { asciiDomain, Conflict, NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import type { SsoConnection } from '../entities/sso-connection.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import { ssoConnectionDecider } from '../sso-connection.js';
import { DomainProofChecker, domainProofRecord } from '../sso/domain-proof-checker.js';
import { SsoConnections } from '../sso/sso-connections.js';

/**
 * Verifies that a connection's domain belongs to the workspace, by a DNS record. After the verification, users with an e-mail address in
 * the domain can sign in by the connection. Throws NotFound if the connection does not have the domain. Throws StateConflict
 * (`domain_not_proved`) if the DNS record is missing or cannot be looked up. Throws Conflict (`domain_taken`) if the domain is verified for
 * another connection.
 */
export class VerifySsoDomain extends Command<SsoConnection> {
  constructor(
    readonly context: CommandContext,
    readonly connectionId: string,
    readonly domain: string,
  ) {
    super();
  }
}

@CommandHandler(VerifySsoDomain)
export class VerifySsoDomainHandler implements ICommandHandler<VerifySsoDomain> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: SsoConnections,
    private readonly proof: DomainProofChecker,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, connectionId, domain: text }: VerifySsoDomain): Promise<SsoConnection> {
    const { workspaceId } = context;
    const connection = await this.connections.get(workspaceId, connectionId);
    const ascii = asciiDomain(text);
    const found = connection.domains.find(({ domain }) => domain === ascii);
    if (!found) throw NotFound.of('domain', text);
    if (found.verifiedAt !== null) return connection;
    const { domain, token } = found;
    await this.proof.requireRecord(domainProofRecord(domain, token));
    const aggregate = aggregateId(workspaceId, connectionId);
    await this.dataSource.transaction(async (manager) => {
      // Two connections that prove one domain at once wait for each other.
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`sso domain ${domain}`]);
      const taken: unknown[] = await manager.query(
        'SELECT 1 FROM identity.sso_domains WHERE domain = $1 AND verified_at IS NOT NULL AND connection_id <> $2',
        [domain, connectionId],
      );
      if (taken.length > 0)
        throw new Conflict(
          'domain_taken',
          `The domain ${domain} is verified for another connection; remove it there first`,
        );
      const [, changed] = await manager.query<[unknown, number]>(
        'UPDATE identity.sso_domains SET verified_at = $3 WHERE connection_id = $1 AND domain = $2 AND verified_at IS NULL',
        [connectionId, domain, systemClock.now()],
      );
      if (changed !== 1) return;
      const command = { type: 'VerifySsoDomain', connectionId, domain } as const;
      await this.outbox.add(manager, ssoConnectionDecider, aggregate, context, command);
    });
    await this.outbox.deliver([aggregate]);
    return this.connections.get(workspaceId, connectionId);
  }
}
