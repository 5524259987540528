import { describe, expect, it } from '@jest/globals';
import { TextCipher } from './text-cipher.js';

describe('a sealed text', () => {
  const seal = new TextCipher('a secret', 'answers');

  it('can be decrypted', () => {
    for (const text of ['', '{"key":"svc_x"}', 'ü'.repeat(10_000)])
      expect(seal.decrypt(seal.encrypt(text))).toBe(text);
  });

  it('shows nothing, and is different each time', () => {
    const sealed = seal.encrypt('svc_secret');
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('svc_secret');
    expect(seal.encrypt('svc_secret')).not.toBe(sealed);
  });

  it('does not open with another secret, for another use, or changed', () => {
    const sealed = Buffer.from(seal.encrypt('{}'), 'base64');
    for (const other of [new TextCipher('another', 'answers'), new TextCipher('a secret', 'mail')])
      expect(other.decrypt(sealed.toString('base64'))).toBeUndefined();
    sealed[sealed.length - 1]! ^= 1;
    expect(seal.decrypt(sealed.toString('base64'))).toBeUndefined();
  });
});
