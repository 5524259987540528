import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Permission, Role } from '#libs/manifest';

/** An API key. Only the SHA-256 of the key is stored. */
@Entity({ schema: 'identity', name: 'api_keys' })
export class ApiKey {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The name that people gave the key. */
  @Column('text')
  name: string;

  @Column('text')
  role: Role;

  /** The only permissions of the key, out of those of its role. Null if the key has all permissions of its role. */
  @Column('text', { array: true, nullable: true })
  permissions: Permission[] | null;

  /** The SHA-256 of the key. */
  @Column('bytea')
  hash: Buffer;

  /** The last four characters of the key, so that people can recognize it. */
  @Column('text')
  last4: string;

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn({ nullable: true })
  lastUsedAt: Instant | null;

  /** The instant from which the key is refused, by the machine's clock. Null if the key does not expire. */
  @InstantColumn({ nullable: true })
  expiresAt: Instant | null;

  /** The id of the key that replaced this one. Null if no key replaced it. */
  @Column('text', { nullable: true })
  replacedBy: string | null;

  @InstantColumn({ nullable: true })
  revokedAt: Instant | null;
}
