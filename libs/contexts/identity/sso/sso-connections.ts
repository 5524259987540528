import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { SETTINGS } from '#libs/kernel/app';
import { domainOf, Forbidden, NotFound, type ListPart } from '#libs/kernel/core';
import { requireSecrets, TextCipher, type Settings } from '#libs/kernel/system';
import { SsoConnection } from '../entities/sso-connection.entity.js';
import { SsoDomain } from '../entities/sso-domain.entity.js';
import type { User } from '../entities/user.entity.js';
import { oldestFirstOrder, pageOldestFirst } from '../oldest-first.js';

/** Reads the current state of the connections for single sign-on. */
@Injectable()
export class SsoConnections implements OnApplicationBootstrap {
  readonly listOrder = oldestFirstOrder<SsoConnection>('sso_connections');

  private readonly seal: TextCipher;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.seal = new TextCipher(requireSecrets(settings), 'countinghouse sso client secrets');
  }

  /** Encrypts the client secrets again that the former `JWT_SECRET` encrypted, so that it can be taken out of the settings. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.formerJwtSecret === undefined) return;
    const { manager } = this.dataSource;
    for (const { id, clientSecret } of await manager.find(SsoConnection)) {
      const renewed = this.seal.renew(clientSecret);
      // A secret that was set meanwhile is left as it is.
      if (renewed !== undefined)
        await manager.update(SsoConnection, { id, clientSecret }, { clientSecret: renewed });
    }
  }

  /** A page of the workspace's connections, oldest first. */
  async list(workspaceId: string, part: ListPart): Promise<SsoConnection[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(SsoConnection, 'one')
      .where('one.workspaceId = :workspaceId', { workspaceId });
    const rows = await pageOldestFirst(query, part);
    const domains = await this.dataSource.manager.findBy(
      SsoDomain,
      rows.map(({ id }) => ({ connectionId: id })),
    );
    return rows.map((row) => ({
      ...row,
      domains: domains.filter(({ connectionId }) => connectionId === row.id),
    }));
  }

  /** Returns a connection of the workspace with its domains. Throws NotFound if the workspace does not have the connection. */
  async get(workspaceId: string, id: string): Promise<SsoConnection> {
    const found = await this.find({ id, workspaceId });
    if (!found) throw NotFound.of('SSO connection', id);
    return found;
  }

  /**
   * Returns the connection with this id, of any workspace unless `workspaceId` is given. Returns undefined if no such connection exists.
   */
  async find(where: { id: string; workspaceId?: string }): Promise<SsoConnection | undefined> {
    const { manager } = this.dataSource;
    const found = await manager.findOneBy(SsoConnection, where);
    return found
      ? { ...found, domains: await manager.findBy(SsoDomain, { connectionId: found.id }) }
      : undefined;
  }

  /**
   * Returns the connection for which the domain of an e-mail address is verified. Returns undefined if no connection has verified the
   * domain.
   */
  async findByEmail(email: string): Promise<SsoConnection | undefined> {
    const verified = { domain: domainOf(email), verifiedAt: Not(IsNull()) };
    const domain = await this.dataSource.manager.findOneBy(SsoDomain, verified);
    return domain ? this.find({ id: domain.connectionId }) : undefined;
  }

  /**
   * Throws Forbidden (`sso_required`) if the user with an e-mail address may sign in only by single sign-on. An unknown e-mail address gets
   * the same error, so the response does not reveal whether the user exists.
   */
  async refuseIfSsoRequired(email: string, user: Pick<User, 'workspaceId'> | null): Promise<void> {
    const connection = await this.findByEmail(email);
    if (!connection?.required || (user && user.workspaceId !== connection.workspaceId)) return;
    throw new Forbidden(
      'sso_required',
      'Users with this e-mail domain sign in by single sign-on; call POST /v1/auth/sso/start with the address',
    );
  }

  encryptSecret(clientSecret: string): string {
    return this.seal.encrypt(clientSecret);
  }

  /**
   * Decrypts the client secret of a connection. Throws Forbidden (`sso_secret_unreadable`) if JWT_SECRET was changed after the client
   * secret was set.
   */
  decryptSecret({ clientSecret }: SsoConnection): string {
    const secret = this.seal.decrypt(clientSecret);
    if (secret === undefined)
      throw new Forbidden(
        'sso_secret_unreadable',
        'The client secret cannot be read, since JWT_SECRET was changed; an administrator must set it again',
      );
    return secret;
  }
}

/** Tells whether an e-mail address is in a verified domain of the connection. */
export function hasVerifiedDomain({ domains }: SsoConnection, email: string): boolean {
  const own = domainOf(email);
  return domains.some(({ domain, verifiedAt }) => verifiedAt !== null && domain === own);
}
