import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const file = join(import.meta.dirname, '../../docs/decisions.md');

describe('the decisions', () => {
  it('are numbered one after the other, so that a number names one of them', async () => {
    const numbers = [...(await readFile(file, 'utf8')).matchAll(/^(\d+)\. /gm)].map(([, number]) =>
      Number(number),
    );
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
