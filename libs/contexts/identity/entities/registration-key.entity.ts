import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The idempotency key that a user registered with. The registration key is stored in the transaction that creates the user, and kept as
 * long as the user.
 */
@Entity({ schema: 'identity', name: 'registration_keys' })
export class RegistrationKey {
  @PrimaryColumn('text')
  userId: string;

  /** A keyed digest (HMAC) of the idempotency key. */
  @Column('bytea', { name: 'key' })
  keyDigest: Buffer;

  /**
   * A keyed digest (HMAC) of the names in the request. The e-mail address and the password of a repeated request are compared with those of
   * the user.
   */
  @Column('bytea', { name: 'body' })
  namesDigest: Buffer;
}
