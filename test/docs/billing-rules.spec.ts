import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { play, readBilling } from './billing-examples.js';
import { blocksOf, examplesOf, partsOf } from './blocks.js';
import { CASE_VIEWS } from './case-examples.js';
import { VIEWS } from './views.js';
import { walletView } from './wallet-examples.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/billing-rules.md'), 'utf8');
const [rules, cases] = page.split('\n## Cases\n') as [string, string];
const examples = examplesOf(rules, 'billing');

describe('the billing rules', () => {
  it('have an example for each row of their table, and none besides', () => {
    const rows = [...rules.matchAll(/^\| (.+?) +\|/gm)].map(([, operation]) => operation!.trim());
    expect(examples.map(({ title }) => title)).toEqual(rows.slice(2));
  });

  it.each(examples)('$title', (example) => {
    const { happens, billed } = readBilling(example);
    expect(play(happens)).toEqual(billed);
  });

  it.each(blocksOf(cases))('of the case "$title"', async (example) => {
    if (example.kind === 'billing') {
      const { happens, billed } = readBilling(example);
      return expect(play(happens)).toEqual(billed);
    }
    const { happens, comes } = partsOf(example);
    if (example.kind === 'wallet') return expect(await walletView(example)).toBe(comes);
    const view = CASE_VIEWS[example.kind] ?? VIEWS[example.kind]!;
    expect(await view(happens)).toBe(comes);
  });
});
