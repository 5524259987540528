import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS } from '#libs/kernel/app';
import { addSeconds, Unauthenticated } from '#libs/kernel/core';
import { requireSecrets, systemClock, TextCipher, type Settings } from '#libs/kernel/system';
import { SsoSignIn } from '../entities/sso-sign-in.entity.js';
import { hashToken } from '../token-format.js';
import type { SignInSecrets } from './identity-providers.js';
import { createExpiredRowsPruner } from '../create-expired-rows-pruner.js';

/** The time within which a single sign-on must be completed. The time allows for users who need some minutes for a second factor. */
const VALID_SECONDS = 600;

/** A sign-in that was started. */
export interface StartedSignIn {
  readonly connectionId: string;
  readonly redirectUri: string;
  readonly secrets: SignInSecrets;
}

/** Stores each sign-in from its start until its completion. A sign-in can be completed only once. */
@Injectable()
export class SsoSignIns {
  private readonly seal: TextCipher;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.seal = new TextCipher(requireSecrets(settings), 'countinghouse sso sign-ins');
  }

  async store({ connectionId, redirectUri, secrets }: StartedSignIn): Promise<void> {
    await this.dataSource.manager.insert(SsoSignIn, {
      stateHash: hashToken(secrets.state),
      connectionId,
      redirectUri,
      nonce: secrets.nonce,
      codeVerifier: this.seal.encrypt(secrets.codeVerifier),
      expiresAt: addSeconds(systemClock.now(), VALID_SECONDS),
    });
  }

  /**
   * Returns the sign-in with this `state` and removes it, so that it is completed only once. Throws Unauthenticated (`sso_state_invalid`)
   * if the sign-in is unknown, expired or was completed before.
   */
  async removeByState(state: string): Promise<StartedSignIn> {
    const { raw } = (await this.dataSource.manager
      .createQueryBuilder()
      .delete()
      .from(SsoSignIn)
      .where('stateHash = :hash', { hash: hashToken(state) })
      .returning('connection_id, redirect_uri, nonce, code_verifier, expires_at > now() AS is_valid')
      .execute()) as {
      raw: {
        connection_id: string;
        redirect_uri: string;
        nonce: string;
        code_verifier: string;
        is_valid: boolean;
      }[];
    };
    const [row] = raw;
    const codeVerifier = row && this.seal.decrypt(row.code_verifier);
    if (!row?.is_valid || codeVerifier === undefined)
      throw new Unauthenticated(
        'sso_state_invalid',
        'The sign-in is unknown, was completed already, or took longer than ten minutes; start it again',
      );
    return {
      connectionId: row.connection_id,
      redirectUri: row.redirect_uri,
      secrets: { state, nonce: row.nonce, codeVerifier },
    };
  }
}

export const pruneSsoSignIns = createExpiredRowsPruner('sso_sign_ins', 'state_hash');
