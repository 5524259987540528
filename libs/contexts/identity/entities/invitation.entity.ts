import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** A pending invitation whose time is over is expired. It can be sent again. */
export type InvitationStatus = 'pending' | 'accepted' | 'revoked';

/** An invitation of somebody by e-mail to become a user of a workspace. All times are the machine's. */
@Entity({ schema: 'identity', name: 'invitations' })
export class Invitation {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The normalized address. */
  @Column('text')
  email: string;

  @Column('text')
  role: Role;

  @Column('text')
  status: InvitationStatus;

  /** The id of the user who invited. */
  @Column('text')
  invitedBy: string;

  @InstantColumn()
  createdAt: Instant;

  /** The last time at which a mail was asked for. */
  @InstantColumn()
  sentAt: Instant;

  @InstantColumn()
  expiresAt: Instant;

  /** The user that accepted it. */
  @Column('text', { nullable: true })
  userId: string | null;
}
