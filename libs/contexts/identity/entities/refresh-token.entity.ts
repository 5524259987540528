import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A refresh token, known by its SHA-256. Kept when spent, until it would have expired, so that reuse is seen. */
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
