import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { examplesOf, play } from './billing-examples.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/billing-rules.md'), 'utf8');
const examples = examplesOf(page);

describe('the billing rules', () => {
  it('have an example for each row of their table, and none besides', () => {
    const rows = [...page.matchAll(/^\| (.+?) +\|/gm)].map(([, operation]) => operation!.trim());
    expect(examples.map(({ title }) => title)).toEqual(rows.slice(2));
  });

  it.each(examples)('$title', ({ happens, billed }) => {
    expect(play(happens)).toEqual(billed);
  });
});
