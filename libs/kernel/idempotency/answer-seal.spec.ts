import { describe, expect, it } from '@jest/globals';
import { AnswerSeal } from './answer-seal.js';

describe('a sealed answer', () => {
  const seal = new AnswerSeal('a secret');

  it('can be decrypted', () => {
    for (const text of ['', '{"key":"svc_x"}', 'ü'.repeat(10_000)])
      expect(seal.open(seal.seal(text))).toBe(text);
  });

  it('shows nothing, and is different each time', () => {
    const sealed = seal.seal('svc_secret');
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('svc_secret');
    expect(seal.seal('svc_secret')).not.toBe(sealed);
  });

  it('does not open with another secret, or changed', () => {
    const sealed = Buffer.from(seal.seal('{}'), 'base64');
    expect(new AnswerSeal('another').open(sealed.toString('base64'))).toBeUndefined();
    sealed[sealed.length - 1]! ^= 1;
    expect(seal.open(sealed.toString('base64'))).toBeUndefined();
  });
});
