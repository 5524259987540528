import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A domain of e-mail addresses whose users sign in by a connection. A domain has no effect until it is verified. */
@Entity({ schema: 'identity', name: 'sso_domains' })
export class SsoDomain {
  @PrimaryColumn('text')
  connectionId: string;

  /** The domain in ASCII and lower case. */
  @PrimaryColumn('text')
  domain: string;

  /** The secret part of the DNS record that proves the domain. */
  @Column('text')
  token: string;

  /** The instant at which the DNS record proved the domain. Null until then. */
  @InstantColumn({ nullable: true })
  verifiedAt: Instant | null;
}
