import { Injectable, type OnModuleInit } from '@nestjs/common';
import { argon2id, hash, needsRehash, verify } from 'argon2';
import { InvalidRequest } from '#libs/kernel/core';
import { randomToken } from '#libs/kernel/system';
import { COMMON_PASSWORDS } from './common-passwords.js';

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { type: argon2id, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** What came of comparing a password with a hash. */
export interface PasswordCheck {
  matches: boolean;
  /** The hash was made with other parameters than today's and should be made anew. */
  outdated: boolean;
}

@Injectable()
export class Passwords implements OnModuleInit {
  /** What a password is compared with when there is no such user, so that the answer takes as long. */
  private decoy: string;

  async onModuleInit(): Promise<void> {
    this.decoy = await this.hash(randomToken());
  }

  /** Refuses what is too short or too long, nothing but spaces, the user's e-mail address, or among the first that anybody tries. */
  requireAcceptable(password: string, email: string): void {
    const length = [...password].length;
    if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
      throw InvalidRequest.field(
        'password',
        `must be text of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
      );
    const plain = canonical(password).trim().toLowerCase();
    if (plain === '')
      throw InvalidRequest.field(
        'password',
        'must not be nothing but spaces; choose another',
        'password_blank',
      );
    if (plain === canonical(email).toLowerCase())
      throw InvalidRequest.field(
        'password',
        'must not be the e-mail address; choose another',
        'password_is_email',
      );
    if (COMMON_PASSWORDS.has(password.toLowerCase()))
      throw InvalidRequest.field(
        'password',
        'is among the most common passwords; choose another',
        'password_too_common',
      );
  }

  /** argon2id in PHC form, with the parameters and the salt. */
  async hash(password: string): Promise<string> {
    return hash(canonical(password), PARAMETERS);
  }

  /** Compares a password with a user's hash. Without a hash nothing matches, in the same time. */
  async check(passwordHash: string | undefined, password: string): Promise<PasswordCheck> {
    const matches = await verify(passwordHash ?? this.decoy, canonical(password));
    if (passwordHash === undefined) return { matches: false, outdated: false };
    return { matches, outdated: needsRehash(passwordHash, PARAMETERS) };
  }
}

/** Keyboards differ in how they compose a letter with its accents; the password is the same. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
