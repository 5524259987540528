import { describe, expect, it } from '@jest/globals';
import { TextCipher } from './text-cipher.js';

describe('an encrypted text', () => {
  const cipher = new TextCipher(['a secret'], 'answers');

  it('can be decrypted', () => {
    for (const text of ['', '{"key":"svc_x"}', 'ü'.repeat(10_000)])
      expect(cipher.decrypt(cipher.encrypt(text))).toBe(text);
  });

  it('shows nothing, and is different each time', () => {
    const encrypted = cipher.encrypt('svc_secret');
    expect(Buffer.from(encrypted, 'base64').toString('latin1')).not.toContain('svc_secret');
    expect(cipher.encrypt('svc_secret')).not.toBe(encrypted);
  });

  it('cannot be decrypted with another secret, for another use, or after a change', () => {
    const encrypted = Buffer.from(cipher.encrypt('{}'), 'base64');
    for (const other of [new TextCipher(['another'], 'answers'), new TextCipher(['a secret'], 'mail')])
      expect(other.decrypt(encrypted.toString('base64'))).toBeUndefined();
    encrypted[encrypted.length - 1]! ^= 1;
    expect(cipher.decrypt(encrypted.toString('base64'))).toBeUndefined();
  });

  it('cannot be decrypted if a part of it is missing', () => {
    const encrypted = Buffer.from(cipher.encrypt('{"key":"svc_x"}'), 'base64');
    for (let length = 0; length < encrypted.length; length++)
      expect(cipher.decrypt(encrypted.subarray(0, length).toString('base64'))).toBeUndefined();
  });

  it('can be decrypted while its secret is the former one, and is encrypted again with the present one', () => {
    const encrypted = cipher.encrypt('svc_secret');
    const rotated = new TextCipher(['a new secret', 'a secret'], 'answers');
    expect(rotated.decrypt(encrypted)).toBe('svc_secret');
    const renewed = rotated.renew(encrypted)!;
    expect(new TextCipher(['a new secret'], 'answers').decrypt(renewed)).toBe('svc_secret');
    expect(cipher.decrypt(renewed)).toBeUndefined();
    expect(rotated.renew(renewed)).toBeUndefined();
    expect(rotated.renew('no text')).toBeUndefined();
  });
});
