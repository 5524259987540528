import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The idempotency key that a user registered with. It is stored in the transaction that creates the user, and kept as long as the user. */
@Entity({ schema: 'identity', name: 'registration_keys' })
export class RegistrationKey {
  @PrimaryColumn('text')
  userId: string;

  /** A keyed digest of the key. */
  @Column('bytea')
  key: Buffer;

  /** A keyed digest of the names in the request. The address and the password are compared with the user's. */
  @Column('bytea')
  body: Buffer;
}
