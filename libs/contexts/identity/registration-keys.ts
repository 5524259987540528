import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { canonicalEmail, canonicalJson } from '#libs/kernel/core';
import { KeyedDigest, requireSetting, type Settings } from '#libs/kernel/system';
import { idempotencyKeyReused } from '#libs/kernel/idempotency';
import { RegistrationKey } from './entities/registration-key.entity.js';
import { User } from './entities/user.entity.js';
import { SETTINGS } from '#libs/kernel/app';
import { Passwords } from './passwords/passwords.js';

/** The fields of a registration request. */
export interface RegistrationRequest {
  email: string;
  password: string;
  name: string;
  companyName?: string;
}

/**
 * The idempotency keys of registrations. At a registration no workspace exists yet, so an idempotency key belongs to the e-mail address
 * instead of a workspace. The key and the names of a registration are stored only as digests. The digests do not include the password,
 * because guesses are a thousand times faster against a digest than against the user's argon2id hash.
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

  /** Stores the key in the transaction that creates the user, so that the key is known even if the response is lost. */
  async store(
    manager: EntityManager,
    userId: string,
    registration: RegistrationRequest,
    key: string,
  ): Promise<void> {
    await manager.insert(RegistrationKey, {
      userId,
      keyDigest: this.digestOf(registration, key),
      namesDigest: this.namesOf(registration),
    });
  }

  /**
   * Returns the user that an earlier request with this address and key created. Returns undefined if no earlier request had this address
   * and key, or if the user is not active. Throws Conflict (`idempotency_key_reused`) if the earlier request had other data or another
   * password.
   */
  async findRegisteredUser(registration: RegistrationRequest, key: string): Promise<User | undefined> {
    const user = await this.dataSource.manager.findOneBy(User, { email: canonicalEmail(registration.email) });
    if (user?.status !== 'active') return undefined;
    const known = await this.dataSource.manager.findOneBy(RegistrationKey, { userId: user.id });
    if (!known?.keyDigest.equals(this.digestOf(registration, key))) return undefined;
    const { matches } = await this.passwords.check(user.passwordHash, registration.password);
    if (!matches || !known.namesDigest.equals(this.namesOf(registration))) throw idempotencyKeyReused();
    return user;
  }

  private digestOf({ email }: RegistrationRequest, key: string): Buffer {
    return this.digests.digestOf('key', canonicalEmail(email), key);
  }

  private namesOf({ name, companyName }: RegistrationRequest): Buffer {
    return this.digests.digestOf('names', canonicalJson([name, companyName ?? null]));
  }
}
