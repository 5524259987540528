import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CADENCES, PRICING_MODELS, CHARGE_TIMINGS } from '#libs/rating';
import { examplesOf, partsOf, statementsOf } from './blocks.js';
import { PriceConfigView } from '../../apps/api/prices/price-config.dto.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/pricing.md'), 'utf8');

describe('the page on prices', () => {
  it('has an example of every pricing model, and lists each', () => {
    const models = page.split('\n## Models\n')[1]!.split('\n## ')[0]!;
    const headings = [...models.matchAll(/^### (\S+)$/gm)].map(([, model]) => model!);
    expect(headings).toEqual(expect.arrayContaining([...PRICING_MODELS]));
    expect(headings).toHaveLength(PRICING_MODELS.length);
    const listed = [...page.matchAll(/^\| \[`(\w+)`\]\(#(\w+)\)/gm)].map(([, model, anchor]) => [
      model,
      anchor,
    ]);
    expect(listed).toEqual(headings.map((model) => [model, model]));
    for (const model of PRICING_MODELS)
      for (const example of examplesOf(models, 'invoice').filter(({ title }) => title === model))
        expect(statementsOf(partsOf(example).happens)[0]).toContain(`"model": "${model}"`);
  });

  it.each(['cadences', 'timings', 'fields of a config'])('names all %s', (what) => {
    const fields = Reflect.getMetadata(
      'swagger/apiModelPropertiesArray',
      PriceConfigView.prototype,
    ) as string[];
    const names =
      { cadences: CADENCES, timings: CHARGE_TIMINGS }[what] ?? fields.map((field) => field.replace(':', ''));
    expect(names.filter((name) => !new RegExp(`[\`"]${name}[\`"]`).test(page))).toEqual([]);
  });
});
