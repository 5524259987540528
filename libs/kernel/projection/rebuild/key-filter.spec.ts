import { describe, expect, it } from '@jest/globals';
import { KeyFilter } from './key-filter.js';

const key = (n: number): string => `invoice-acc_01k.inv_${n}`;

describe('the filter of keys', () => {
  const filter = new KeyFilter();
  const added = 100_000;
  for (let n = 0; n < added; n++) filter.add(key(n));

  it('finds every added key', () => {
    let missed = 0;
    for (let n = 0; n < added; n++) if (!filter.mayHave(key(n))) missed++;
    expect(missed).toBe(0);
  });

  it('rarely reports a key that was not added', () => {
    let mistaken = 0;
    for (let n = added; n < 2 * added; n++) if (filter.mayHave(key(n))) mistaken++;
    expect(mistaken).toBeLessThan(3);
  });
});
