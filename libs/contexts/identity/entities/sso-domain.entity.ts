import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import { SsoConnection } from './sso-connection.entity.js';

/** A domain of e-mail addresses whose users sign in by a connection. It has no effect until it is verified. */
@Entity({ schema: 'identity', name: 'sso_domains' })
export class SsoDomain {
  @PrimaryColumn('text')
  connectionId: string;

  @ManyToOne(() => SsoConnection, ({ domains }) => domains)
  @JoinColumn({ name: 'connection_id' })
  connection: Relation<SsoConnection>;

  /** The domain in ASCII and lower case. */
  @PrimaryColumn('text')
  domain: string;

  /** The secret part of the DNS record that proves the domain. */
  @Column('text')
  token: string;

  @InstantColumn({ nullable: true })
  verifiedAt: Instant | null;
}
