import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/**
 * A refresh token. Only the SHA-256 of the refresh token is stored. A used refresh token is kept until it would have expired, so that a
 * second use is detected.
 */
@Entity({ schema: 'identity', name: 'refresh_tokens' })
export class RefreshToken {
  @PrimaryColumn('bytea')
  hash: Buffer;

  @Column('text')
  sessionId: string;

  @InstantColumn()
  expiresAt: Instant;

  /** The instant at which the refresh token was exchanged for the next one. Null until then. */
  @InstantColumn({ nullable: true })
  spentAt: Instant | null;
}
