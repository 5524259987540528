import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user as an identity provider knows them. The subject stays the same when the address changes. */
@Entity({ schema: 'identity', name: 'sso_users' })
export class SsoUser {
  @PrimaryColumn('text')
  connectionId: string;

  /** The `sub` of the ID token. */
  @PrimaryColumn('text')
  subject: string;

  @Column('text')
  userId: string;
}
