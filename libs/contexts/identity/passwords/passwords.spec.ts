import { argon2id, hash } from 'argon2';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { InvalidRequest } from '#libs/kernel/core';
import { COMMON_PASSWORDS } from './common-passwords.js';
import { Passwords } from './passwords.js';

const passwords = new Passwords();
beforeAll(() => passwords.onModuleInit());

const refusal = (password: string, email = 'ada@example.com'): string | undefined => {
  try {
    passwords.requireAcceptable(password, email);
    return undefined;
  } catch (error) {
    return (error as InvalidRequest).code;
  }
};

describe('an acceptable password', () => {
  it('has at least 8 and at most 256 characters, as people count them', () => {
    expect(refusal('k3!vexQ')).toBe('validation_failed');
    expect(refusal('k3!vexQz')).toBeUndefined();
    expect(refusal('🌵🦔🌧🪁🧵🫖🦆')).toBe('validation_failed');
    expect(refusal('🌵🦔🌧🪁🧵🫖🦆🏔')).toBeUndefined();
    expect(refusal('ax7'.repeat(85) + 'b')).toBeUndefined();
    expect(refusal('ax7'.repeat(85) + 'bc')).toBe('validation_failed');
  });

  it('is not among the most common, however it is capitalised', () => {
    expect(refusal('Password123')).toBe('password_too_common');
    expect(refusal('QWERTYUIOP')).toBe('password_too_common');
    expect(refusal('jordan23')).toBe('password_too_common');
    expect(COMMON_PASSWORDS.size).toBeGreaterThanOrEqual(3_000);
    for (const common of COMMON_PASSWORDS) {
      expect(common.length).toBeGreaterThanOrEqual(8);
      expect(common).toBe(common.toLowerCase());
    }
  });

  it('does not consist only of spaces, of any kind', () => {
    expect(refusal(' '.repeat(8))).toBe('password_blank');
    expect(refusal('\u00a0\u3000'.repeat(4))).toBe('password_blank');
    expect(refusal('        x')).toBeUndefined();
  });

  it("is not the user's e-mail address, however it is capitalised or composed", () => {
    expect(refusal('ada@example.com')).toBe('password_is_email');
    expect(refusal(' Ada@Example.COM ')).toBe('password_is_email');
    expect(refusal('zoe\u0301@example.com', 'zo\u00e9@example.com')).toBe('password_is_email');
    expect(refusal('ada@example.com, and more')).toBeUndefined();
    expect(refusal('ada@example.com', 'bob@example.com')).toBeUndefined();
  });
});

describe('a password hash', () => {
  it('is argon2id with 19 MiB, two passes and one lane', async () => {
    expect(await passwords.hash('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,(p=1,t=2|t=2,p=1)\$/);
  });

  it('matches the same password, also when its letters are composed differently, and no other', async () => {
    const made = await passwords.hash('caf\u00e9 au lait');
    await expect(passwords.check(made, 'cafe\u0301 au lait')).resolves.toEqual({
      matches: true,
      outdated: false,
    });
    await expect(passwords.check(made, 'cafe au lait')).resolves.toMatchObject({ matches: false });
  });

  it('depends on every character, also beyond the 72 bytes at which other algorithms stop', async () => {
    const long = 'x1'.repeat(127);
    const made = await passwords.hash(`${long}a`);
    await expect(passwords.check(made, `${long}b`)).resolves.toMatchObject({ matches: false });
    await expect(passwords.check(made, `${long}a`)).resolves.toMatchObject({ matches: true });
  });

  it('is outdated if its parameters are weaker', async () => {
    const made = await hash('correct horse', {
      type: argon2id,
      memoryCost: 4096,
      timeCost: 1,
      parallelism: 1,
    });
    await expect(passwords.check(made, 'correct horse')).resolves.toEqual({ matches: true, outdated: true });
  });

  it('never matches if the user does not exist', async () => {
    await expect(passwords.check(undefined, 'correct horse')).resolves.toEqual({
      matches: false,
      outdated: false,
    });
  });
});

describe('many passwords at once', () => {
  it('are hashed a few at a time, and refused at once where too many wait', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 300 }, () => passwords.check(undefined, 'correct horse')),
    );
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(300);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ status: 429, code: 'too_many_sign_ins', retryAfterSeconds: 1 });
    await expect(passwords.check(undefined, 'correct horse')).resolves.toMatchObject({ matches: false });
  });
});
