import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/**
 * A refresh token. Only the SHA-256 of the refresh token is stored. A used refresh token is kept until it would have expired, so that a
 * second use is detected.
 */
@Entity({ schema: 'identity', name: 'refresh_tokens' })
export class RefreshToken {
  /** The SHA-256 of the token. */
  @PrimaryColumn('bytea')
  hash: Buffer;

  /** The session that the token continues. */
  @Column('text')
  sessionId: string;

  @InstantColumn()
  expiresAt: Instant;

  /** The instant at which the refresh token was exchanged for the next one. Null until then. */
  @InstantColumn({ nullable: true })
  spentAt: Instant | null;
}
