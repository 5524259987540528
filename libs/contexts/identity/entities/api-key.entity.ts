import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** An API key, known by its SHA-256. */
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

  /** The key's last four characters, by which people recognise it. */
  @Column('text')
  last4: string;

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn({ nullable: true })
  lastUsedAt: Instant | null;

  @InstantColumn({ nullable: true })
  revokedAt: Instant | null;
}
