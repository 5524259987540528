import { describe, expect, it } from '@jest/globals';
import { newEventIds } from './event-ids.js';

describe('newEventIds', () => {
  it('makes ULIDs that ascend and never repeat', () => {
    const ids = newEventIds(3_000);
    expect(new Set([...ids, ...newEventIds(3_000)]).size).toBe(6_000);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => /^use_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id))).toBe(true);
  });
});
