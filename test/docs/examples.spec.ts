import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { play, readBilling } from './billing-examples.js';
import { blocksOf, partsOf, type Block } from './blocks.js';
import { VIEWS } from './views.js';

const root = join(import.meta.dirname, '../..');
// The examples of the billing rules have a spec of their own, which is run for each mutant too.
const pages = globSync('docs/*.md', { cwd: root, exclude: ['docs/billing-rules.md'] });

/** What an example comes to, and what it says that it comes to. */
async function outcomeOf(example: Block): Promise<{ computed: string; said: string }> {
  if (example.kind === 'billing') {
    const { happens, billed } = readBilling(example);
    return { computed: play(happens).join('\n'), said: billed.join('\n') };
  }
  const { happens, comes } = partsOf(example);
  return { computed: await VIEWS[example.kind]!(happens), said: comes };
}

const examples = pages.flatMap((page) =>
  blocksOf(readFileSync(join(root, page), 'utf8'))
    .filter(({ kind }) => kind === 'billing' || kind in VIEWS)
    .map((example, i) => ({ page, number: i + 1, ...example })),
);

describe('an example', () => {
  it.each(examples)('of $page: $number, $title', async (example) => {
    const { computed, said } = await outcomeOf(example);
    expect(computed).toBe(said);
  });

  it('is whatever these pages show, but commands', () => {
    const others = [...new Set(examples.map(({ page }) => page))].flatMap((page) =>
      blocksOf(readFileSync(join(root, page), 'utf8')).filter(
        ({ kind }) => kind !== 'billing' && !(kind in VIEWS),
      ),
    );
    for (const { text } of others) expect(text).toMatch(/^(npx countinghouse .*\n)+$/);
  });

  it('is on every page that shows what something costs', () => {
    const shown = new Set(examples.map(({ page }) => page));
    expect([...shown].sort()).toEqual(
      ['coupons', 'credit-notes', 'ledger', 'metrics', 'pricing', 'subscriptions', 'taxes'].map(
        (name) => `docs/${name}.md`,
      ),
    );
  });
});
