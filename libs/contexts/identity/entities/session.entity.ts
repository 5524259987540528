import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { SignInMethod } from '../events.js';
import type { SessionEndReason } from '../session.js';
import { User } from './user.entity.js';

/** One sign-in of a user. The refresh tokens of a session form a chain, because each token is exchanged for the next one. */
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

  /** How the user signed in. Null if the session began in a version that did not store the sign-in method. */
  @Column('text', { nullable: true })
  method: SignInMethod | null;

  /** The instant at which the newest refresh token of the session expires. */
  @InstantColumn()
  expiresAt: Instant;

  @InstantColumn({ nullable: true })
  endedAt: Instant | null;

  /** The reason for the end of the session. Null if the session has not ended. */
  @Column('text', { nullable: true })
  endReason: SessionEndReason | null;
}
