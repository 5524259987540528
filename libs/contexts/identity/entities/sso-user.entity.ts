import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The account of a user at an identity provider. The subject stays the same when the user's e-mail address changes. */
@Entity({ schema: 'identity', name: 'sso_users' })
export class SsoUser {
  @PrimaryColumn('text')
  connectionId: string;

  /** The `sub` claim of the ID token. */
  @PrimaryColumn('text')
  subject: string;

  @Column('text')
  userId: string;
}
