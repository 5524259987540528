import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { EndReason } from '../session.js';
import { User } from './user.entity.js';

/** One sign-in: the family of all refresh tokens that were exchanged one for the next. */
@Entity({ schema: 'identity', name: 'sessions' })
export class Session {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  userId: string;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user: Relation<User>;

  @InstantColumn()
  createdAt: Instant;

  /** When its newest refresh token expires. */
  @InstantColumn()
  expiresAt: Instant;

  @InstantColumn({ nullable: true })
  endedAt: Instant | null;

  @Column('text', { nullable: true })
  endReason: EndReason | null;
}
