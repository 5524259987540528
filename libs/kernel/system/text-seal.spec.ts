import { describe, expect, it } from '@jest/globals';
import { TextSeal } from './text-seal.js';

describe('a sealed text', () => {
  const seal = new TextSeal('a secret', 'answers');

  it('can be decrypted', () => {
    for (const text of ['', '{"key":"svc_x"}', 'ü'.repeat(10_000)])
      expect(seal.open(seal.seal(text))).toBe(text);
  });

  it('shows nothing, and is different each time', () => {
    const sealed = seal.seal('svc_secret');
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('svc_secret');
    expect(seal.seal('svc_secret')).not.toBe(sealed);
  });

  it('does not open with another secret, for another use, or changed', () => {
    const sealed = Buffer.from(seal.seal('{}'), 'base64');
    for (const other of [new TextSeal('another', 'answers'), new TextSeal('a secret', 'mail')])
      expect(other.open(sealed.toString('base64'))).toBeUndefined();
    sealed[sealed.length - 1]! ^= 1;
    expect(seal.open(sealed.toString('base64'))).toBeUndefined();
  });
});
