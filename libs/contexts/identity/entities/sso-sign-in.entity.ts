import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A sign-in that was started and is not completed yet. */
@Entity({ schema: 'identity', name: 'sso_sign_ins' })
export class SsoSignIn {
  /** The SHA-256 of the `state`. */
  @PrimaryColumn('bytea')
  stateHash: Buffer;

  @Column('text')
  connectionId: string;

  /** The URI to which the provider sends the user back. */
  @Column('text')
  redirectUri: string;

  /** The nonce that the ID token must contain. */
  @Column('text')
  nonce: string;

  /** The PKCE code verifier, encrypted. */
  @Column('text')
  codeVerifier: string;

  /** The instant until which the sign-in can be completed. */
  @InstantColumn()
  expiresAt: Instant;
}
