import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { play, readBilling } from './billing-examples.js';
import { examplesOf } from './blocks.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/billing-rules.md'), 'utf8');
const examples = examplesOf(page, 'billing');

describe('the billing rules', () => {
  it('have an example for each row of their table, and none besides', () => {
    const rows = [...page.matchAll(/^\| (.+?) +\|/gm)].map(([, operation]) => operation!.trim());
    expect(examples.map(({ title }) => title)).toEqual(rows.slice(2));
  });

  it.each(examples)('$title', (example) => {
    const { happens, billed } = readBilling(example);
    expect(play(happens)).toEqual(billed);
  });
});
