import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** The status of an invitation. A `pending` invitation whose expiry has passed cannot be accepted until it is sent again. */
export type InvitationStatus = 'pending' | 'accepted' | 'revoked';

/** An invitation by e-mail to become a user of a workspace. All times are from the machine's clock. */
@Entity({ schema: 'identity', name: 'invitations' })
export class Invitation {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The normalized e-mail address. */
  @Column('text')
  email: string;

  /** The role that the invited user gets. */
  @Column('text')
  role: Role;

  @Column('text')
  status: InvitationStatus;

  /** The id of the user who sent the invitation, or of the API key whose request made the sandbox go live. */
  @Column('text')
  invitedBy: string;

  @InstantColumn()
  createdAt: Instant;

  /** The time at which the latest mail of the invitation was requested. */
  @InstantColumn()
  sentAt: Instant;

  @InstantColumn()
  expiresAt: Instant;

  /** The id of the user who accepted the invitation. */
  @Column('text', { nullable: true })
  userId: string | null;
}
