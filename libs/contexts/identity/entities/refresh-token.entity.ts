import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/**
 * A refresh token. Only its SHA-256 is stored. A used refresh token is kept until it would have expired, so that a second use is detected.
 */
@Entity({ schema: 'identity', name: 'refresh_tokens' })
export class RefreshToken {
  @PrimaryColumn('bytea')
  hash: Buffer;

  @Column('text')
  sessionId: string;

  @InstantColumn()
  expiresAt: Instant;

  @InstantColumn({ nullable: true })
  spentAt: Instant | null;
}
