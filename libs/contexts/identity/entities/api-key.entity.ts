import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** An API key. Only the SHA-256 of the key is stored. */
@Entity({ schema: 'identity', name: 'api_keys' })
export class ApiKey {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  name: string;

  @Column('text')
  role: Role;

  @Column('bytea')
  hash: Buffer;

  /** The last four characters of the key, so that people can recognize it. */
  @Column('text')
  last4: string;

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn({ nullable: true })
  lastUsedAt: Instant | null;

  @InstantColumn({ nullable: true })
  revokedAt: Instant | null;
}
