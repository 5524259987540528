import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from './invoice-line.js';
import { describeLine, readLineDescription, translatedDescription } from './line-description.js';

describe('the description of a line', () => {
  it('can be divided into the name and the note', () => {
    const description = describeLine('Seats (Berlin)', 'unused');
    expect(description).toBe('Seats (Berlin) (unused part of the period)');
    expect(readLineDescription({ type: 'credit', description })).toEqual({
      name: 'Seats (Berlin)',
      values: null,
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
      name: 'Tokens',
      values: 'haiku · a|b (late usage) · –',
      note: null,
    });
    expect(readLineDescription(line)).toEqual({ name: description, values: null, note: null });
  });

  it('is only the name if the line has no note, for any names', () => {
    const description = 'Calls (late usage)';
    for (const type of ['usage', 'manual', 'flat'] as const)
      expect(readLineDescription({ type, description })).toEqual({
        name: description,
        values: null,
        note: null,
      });
  });

  it('has the name of the charge in a language, and keeps the note and the group', () => {
    const named = { description: 'Seats (part of the period)', nameTranslations: { de: 'Plätze' } };
    const line = { type: 'flat', ...named } as InvoiceLine;
    expect(translatedDescription(line, 'de')).toBe('Plätze (part of the period)');
    expect(translatedDescription(line, 'fr')).toBe('Seats (part of the period)');
    const dimensions = [{ property: 'model', value: 'haiku' }];
    const group = { description: 'Tokens (haiku)', group: 'haiku', dimensions };
    const ofGroup = { type: 'usage', ...group, nameTranslations: { de: 'Wörter' } } as unknown as InvoiceLine;
    expect(translatedDescription(ofGroup, 'de')).toBe('Wörter (haiku)');
  });
});
