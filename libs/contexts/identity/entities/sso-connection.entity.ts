import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';
import type { SsoDomain } from './sso-domain.entity.js';

/** A connection of a workspace to an OpenID Connect provider. */
@Entity({ schema: 'identity', name: 'sso_connections' })
export class SsoConnection {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The name that people gave the connection. */
  @Column('text')
  name: string;

  /** The issuer identifier of the provider, which is a URL. */
  @Column('text')
  issuer: string;

  /** The client id of Countinghouse at the provider. */
  @Column('text')
  clientId: string;

  /** The client secret, encrypted. */
  @Column('text')
  clientSecret: string;

  /** The only URIs to which the provider may send users back. */
  @Column('text', { array: true })
  redirectUris: string[];

  /** The role of users who are created at their first sign-in. */
  @Column('text')
  defaultRole: Role;

  /** True if unknown users are created at their first sign-in. */
  @Column('boolean')
  createUsers: boolean;

  /** True if users of the workspace with an address in a verified domain must sign in by this connection. */
  @Column('boolean')
  required: boolean;

  /** The domains of the connection, which are stored in a separate table. The queries of `sso-connections.ts` also read the domains. */
  domains: SsoDomain[];

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn()
  updatedAt: Instant;
}
