import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  const keys = Array.from({ length: 200 }, generateApiKey);

  it('is svc_, 160 random bits and six characters of checksum', () => {
    for (const key of keys) {
      expect(key).toMatch(/^svc_[0-9A-Za-z]{27}[0-9A-Za-z]{6}$/);
      expect(isWellFormedApiKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('ends with the CRC-32 of the preceding characters, in base 62', () => {
    const [key] = keys as [string];
    let checksum = 0;
    for (const digit of key.slice(-6)) checksum = checksum * 62 + DIGITS.indexOf(digit);
    expect(checksum).toBe(crc32(key.slice(0, -6)));
  });

  it('uses its whole alphabet at every random position except the first', () => {
    for (let place = 5; place < 31; place++) {
      const seen = new Set(keys.map((key) => key[place]));
      expect(seen.size).toBeGreaterThan(40);
    }
  });

  it('is not well formed with any one character changed, or two neighbours swapped', () => {
    const [key] = keys as [string];
    for (let place = 4; place < key.length; place++) {
      const other = DIGITS[(DIGITS.indexOf(key[place]!) + 1) % 62]!;
      expect(isWellFormedApiKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
      const next = key[place + 1];
      if (next === undefined || next === key[place]) continue;
      expect(isWellFormedApiKey(key.slice(0, place) + next + key[place]! + key.slice(place + 2))).toBe(false);
    }
  });

  it.each(['', 'svc_', `${generateApiKey()} `, generateApiKey().slice(4), 'svc_'.padEnd(37, '\u0000')])(
    'is not %j',
    (text) => expect(isWellFormedApiKey(text)).toBe(false),
  );

  it('is kept as its SHA-256', () => {
    expect(hashApiKey('svc_x').toString('hex')).toBe(
      '221ca64df10ecb0091ae4e5eb752950a42803b74e8c79dc49ccfa559709b11c7',
    );
  });
});
