import { describe, expect, it } from '@jest/globals';
import { decodeTime, isValid } from 'ulid';
import { deriveId, deriveUlid, deriveUuid } from './ids.js';

describe('derived ids', () => {
  it('are the same for the same parts, for ever', () => {
    expect(deriveId('inv', 'acc_1', 'a')).toBe(deriveId('inv', 'acc_1', 'a'));
    expect(deriveId('inv', 'acc_1', 'a')).toBe('inv_S68M33BBTKQSC1ARJHE3WXWZGC');
    expect(deriveUuid('command', 'stream', '0')).toBe('e6299931-6a2b-8fd8-9653-e933628bb4b9');
  });

  it('are ULIDs of the instant that they are derived from, the same for ever', () => {
    const at = '2026-02-01T00:00:00.000Z';
    const id = deriveUlid('inv', at, 'sub_1', 'cycle');
    expect(id).toBe('inv_01KGB7ZK00V0D7HHWMJD33FJ52');
    const [, ulid] = id.split('_') as [string, string];
    expect(isValid(ulid)).toBe(true);
    expect(decodeTime(ulid)).toBe(Date.parse(at));
    expect(deriveUlid('inv', at, 'sub_1', 'final')).not.toBe(id);
    expect(isValid(deriveUlid('inv', '1969-12-31T23:59:59.999Z', '').slice(4))).toBe(true);
  });

  it('have the form of an id, and of a UUID of version 8', () => {
    expect(deriveId('inv', '')).toMatch(/^inv_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(deriveUuid('')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('depend on where one part ends and the next begins', () => {
    expect(
      new Set([deriveId('inv', 'a', 'bc'), deriveId('inv', 'ab', 'c'), deriveId('inv', 'abc')]).size,
    ).toBe(3);
    expect(deriveUuid('a', 'bc')).not.toBe(deriveUuid('ab', 'c'));
    expect(deriveUuid('ü')).not.toBe(deriveUuid('u'));
  });
});
