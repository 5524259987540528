import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { canonicalJson } from '#libs/kernel/core';
import { KeyedDigest, requireSetting, type Settings } from '#libs/kernel/system';
import { idempotencyKeyReused } from '#libs/kernel/idempotency';
import { normaliseEmail } from './email.js';
import { RegistrationKey } from './entities/registration-key.entity.js';
import { User } from './entities/user.entity.js';
import { SETTINGS } from '#libs/kernel/app';
import { Passwords } from './passwords/passwords.js';

/** What somebody says of themselves when they register. */
export interface Registration {
  email: string;
  password: string;
  name: string;
  companyName?: string;
}

/**
 * The idempotency keys of registrations. There is no workspace yet whose key it could be, so it belongs to the e-mail address.
 * Digests stand for the key and the names. The password is in none of them: a digest is guessed a thousand times faster
 * than the argon2id hash that the user has anyway.
 */
@Injectable()
export class RegistrationKeys {
  private readonly digests: KeyedDigest;

  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.digests = new KeyedDigest(
      requireSetting(settings, 'jwtSecret'),
      'countinghouse idempotent registrations',
    );
  }

  /** Notes the key in the transaction that makes the user, so that a lost answer leaves it known. */
  async note(manager: EntityManager, userId: string, registration: Registration, key: string): Promise<void> {
    await manager.insert(RegistrationKey, {
      userId,
      key: this.digestOf(registration, key),
      body: this.namesOf(registration),
    });
  }

  /**
   * The user whom an earlier request with this address and key has made; undefined if there is none, or they are not active.
   * Conflict (`idempotency_key_reused`) if that request was another, the password included.
   */
  async userOf(registration: Registration, key: string): Promise<User | undefined> {
    const user = await this.dataSource.manager.findOneBy(User, { email: normaliseEmail(registration.email) });
    if (user?.status !== 'active') return undefined;
    const known = await this.dataSource.manager.findOneBy(RegistrationKey, { userId: user.id });
    if (!known?.key.equals(this.digestOf(registration, key))) return undefined;
    const { matches } = await this.passwords.check(user.passwordHash, registration.password);
    if (!matches || !known.body.equals(this.namesOf(registration))) throw idempotencyKeyReused();
    return user;
  }

  private digestOf({ email }: Registration, key: string): Buffer {
    return this.digests.of('key', normaliseEmail(email), key);
  }

  private namesOf({ name, companyName }: Registration): Buffer {
    return this.digests.of('names', canonicalJson([name, companyName ?? null]));
  }
}
