import { describe, expect, it } from '@jest/globals';
import { describeLine, readLineDescription } from './line-description.js';

describe('the description of a line', () => {
  it('can be divided into the name and the note', () => {
    const description = describeLine('Seats (Berlin)', 'unused');
    expect(description).toBe('Seats (Berlin) (unused part of the period)');
    expect(readLineDescription({ type: 'credit', description })).toEqual({
      name: 'Seats (Berlin)',
      note: 'unused',
    });
  });

  it('names a group of usage by its values, whatever they are', () => {
    const group = 'haiku|a|b (late usage)';
    const description = `Tokens (${group})`;
    const dimensions = [
      { property: 'model', value: 'haiku' },
      { property: 'direction', value: 'a|b (late usage)' },
      { property: 'region', value: null },
    ];
    const line = { type: 'usage', description, group } as const;
    expect(readLineDescription({ ...line, dimensions })).toEqual({
      ...{ name: 'Tokens · haiku · a|b (late usage) · –', note: null },
    });
    expect(readLineDescription(line)).toEqual({ name: description, note: null });
  });

  it('is only the name if the line has no note, for any names', () => {
    const description = 'Calls (late usage)';
    for (const type of ['usage', 'manual', 'flat'] as const)
      expect(readLineDescription({ type, description })).toEqual({ name: description, note: null });
  });
});
