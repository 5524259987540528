import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { canonicalEmail, canonicalJson } from '#libs/kernel/core';
import { KeyedDigest, requireSecrets, type Settings } from '#libs/kernel/system';
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
  /** By the present secret, and by the former one while it is replaced. */
  private readonly digests: readonly KeyedDigest[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.digests = requireSecrets(settings).flatMap((secret) =>
      secret === undefined ? [] : [new KeyedDigest(secret, 'countinghouse idempotent registrations')],
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
      keyDigest: digestOf(this.digests[0]!, registration, key),
      namesDigest: namesOf(this.digests[0]!, registration),
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
    const digest = this.digests.find((one) => known?.keyDigest.equals(digestOf(one, registration, key)));
    if (known === null || digest === undefined) return undefined;
    const { matches } = await this.passwords.check(user.passwordHash, registration.password);
    if (!matches || !known.namesDigest.equals(namesOf(digest, registration))) throw idempotencyKeyReused();
    return user;
  }
}

function digestOf(digest: KeyedDigest, { email }: RegistrationRequest, key: string): Buffer {
  return digest.digestOf('key', canonicalEmail(email), key);
}

function namesOf(digest: KeyedDigest, { name, companyName }: RegistrationRequest): Buffer {
  return digest.digestOf('names', canonicalJson([name, companyName ?? null]));
}
