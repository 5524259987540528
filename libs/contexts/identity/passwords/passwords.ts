import { availableParallelism } from 'node:os';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { argon2id, hash, needsRehash, verify } from 'argon2';
import { InvalidRequest, TooManyRequests } from '#libs/kernel/core';
import { ConcurrencyLimit, randomToken } from '#libs/kernel/system';
import { COMMON_PASSWORDS } from './common-passwords.js';

/** The first recommendation of OWASP for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { type: argon2id, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/**
 * The passwords that are hashed at a time. A hash needs a processor for some 30 milliseconds, and a thread of the pool that also looks up
 * host names and reads files. Half of the processors stay free for other requests.
 */
const MAX_HASHING = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** The callers that wait for their turn. They wait about a second at most on a usual machine. */
const MAX_WAITING = 32 * MAX_HASHING;
/** The seconds after which a refused caller may try again. The queue is empty by then. */
const RETRY_AFTER_SECONDS = 1;

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** The result of the comparison of a password with a hash. */
export interface PasswordCheck {
  matches: boolean;
  /** True if the hash has outdated parameters, so that the password must be hashed again. */
  outdated: boolean;
}

@Injectable()
export class Passwords implements OnModuleInit {
  /**
   * A hash to compare the password with if the user does not exist. Because of this hash, the response takes the same time as for an
   * existing user.
   */
  private decoy: string;
  private readonly turns = new ConcurrencyLimit({
    maxRunning: MAX_HASHING,
    maxWaiting: MAX_WAITING,
    createRefusal: () =>
      new TooManyRequests(
        'too_many_sign_ins',
        'Too many users sign in or register at this moment; try again in a second',
        RETRY_AFTER_SECONDS,
      ),
  });

  async onModuleInit(): Promise<void> {
    this.decoy = await this.hash(randomToken());
  }

  /** Refuses a password that is too short or too long, consists only of spaces, is the user's e-mail address, or is a common password. */
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
        'must not consist only of spaces; choose another',
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

  /**
   * Hashes a password with argon2id. The hash is in PHC form and contains the parameters and the salt. Only a few passwords are hashed at a
   * time. Throws TooManyRequests (`too_many_sign_ins`) at once if too many callers wait.
   */
  async hash(password: string): Promise<string> {
    return this.turns.run(() => hash(canonical(password), PARAMETERS));
  }

  /**
   * Compares a password with a user's hash. If the user has no hash, no password matches, but the comparison takes the same time. Throws
   * TooManyRequests as {@link hash} does.
   */
  async check(passwordHash: string | null | undefined, password: string): Promise<PasswordCheck> {
    const matches = await this.turns.run(() => verify(passwordHash ?? this.decoy, canonical(password)));
    if (passwordHash === undefined || passwordHash === null) return { matches: false, outdated: false };
    return { matches, outdated: needsRehash(passwordHash, PARAMETERS) };
  }
}

/** Normalizes a password, because keyboards produce different characters for the same accented letter. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
