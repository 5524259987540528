import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The idempotency key that a user registered with, in the transaction that made the user. Kept as long as the user. */
@Entity({ schema: 'identity', name: 'registration_keys' })
export class RegistrationKey {
  @PrimaryColumn('text')
  userId: string;

  /** Keyed digest of the key. */
  @Column('bytea')
  key: Buffer;

  /** Keyed digest of the names in the request. The address and the password are compared with the user's. */
  @Column('bytea')
  body: Buffer;
}
