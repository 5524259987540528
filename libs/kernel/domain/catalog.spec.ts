import { describe, expect, it } from '@jest/globals';
import { upcast, type EventSpec } from './index.js';

describe('stored data of an earlier schema version', () => {
  const spec: EventSpec = {
    version: 3,
    upcasters: {
      1: ({ cents, ...data }) => ({ ...data, amount: (Number(cents) / 100).toFixed(2) }),
      2: (data) => ({ ...data, currency: 'USD' }),
    },
  };

  it('is converted to the present schema, version by version', () => {
    const today = { id: 'inv_1', amount: '12.50', currency: 'USD' };
    expect(upcast('Billed', spec, { id: 'inv_1', cents: 1_250 }, 1)).toEqual(today);
    expect(upcast('Billed', spec, { id: 'inv_1', amount: '12.50' }, 2)).toEqual(today);
    expect(upcast('Billed', spec, today, 3)).toBe(today);
  });

  it('is refused when an upcaster is missing, or the data is newer than the program', () => {
    expect(() => upcast('Billed', { version: 2 }, {}, 1)).toThrow(
      'Billed has no upcaster from schema version 1',
    );
    expect(() => upcast('Billed', spec, {}, 4)).toThrow(
      'Billed has schema version 4, but this program knows only 3',
    );
  });
});
