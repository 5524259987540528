import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** The status of a user. Only an active user can sign in or continue a session. */
export type UserStatus = 'active' | 'deactivated';

@Entity({ schema: 'identity', name: 'users' })
export class User {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The normalized e-mail address, which is unique in the whole system. */
  @Column('text')
  email: string;

  @Column('text')
  name: string;

  /** The argon2id hash of the password, in PHC form. Null if the user has no password. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @Column('text')
  role: Role;

  @Column('text')
  status: UserStatus;

  /**
   * The instant at which the user first proved to read mail at the address: with a link from a mail, or by single sign-on for a verified
   * domain. Null if nobody has. Anybody can register with any address.
   */
  @InstantColumn({ nullable: true })
  addressProvedAt: Instant | null;

  @InstantColumn()
  createdAt: Instant;
}
