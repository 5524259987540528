import { describe, expect, it } from '@jest/globals';
import { newId, randomToken } from './new-ids.js';

describe('new ids', () => {
  it('are a prefix and a ULID, each another', () => {
    const ids = Array.from({ length: 100 }, () => newId('cust'));
    for (const id of ids) expect(id).toMatch(/^cust_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(new Set(ids).size).toBe(100);
  });

  it('are unguessable where they are tokens', () => {
    expect(Buffer.from(randomToken(), 'base64url')).toHaveLength(24);
    expect(randomToken()).not.toBe(randomToken());
  });
});
