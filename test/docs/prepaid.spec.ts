import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRequestJson } from '#libs/kernel/core';
import { readFeatures } from '../../libs/contexts/catalog/plans/plan-features.js';
import { combineEntitlements, type EntitlementSource } from '../../libs/contexts/entitlements/entitlement.js';
import { presentEntitlement } from '../../libs/contexts/entitlements/present.js';
import { examplesOf, partsOf, statementsOf } from './blocks.js';
import { readEntitlementGrant } from './requests.js';
import { instant, walletView } from './wallet-examples.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/prepaid.md'), 'utf8');

it.each(examplesOf(page, 'wallet'))('a wallet under "$title" is as the page says', async (example) => {
  expect(await walletView(example)).toBe(partsOf(example).comes);
});

it.each(examplesOf(page, 'entitlement'))(
  'an entitlement under "$title" is as the page says',
  async (example) => {
    const { happens, comes } = partsOf(example);
    const sources: EntitlementSource[] = [];
    let consumed = '0';
    for (const statement of statementsOf(happens)) {
      const [, verb, value] = /^(plan|grant|consumed) (.*)$/.exec(statement)!;
      if (verb === 'consumed') consumed = value!;
      else sources.push(verb === 'plan' ? planSource(value!) : await grantSource(value!));
    }
    const [entitlement, ...others] = combineEntitlements(sources);
    expect(others).toEqual([]);
    const shown = JSON.parse(JSON.stringify(presentEntitlement(entitlement!, consumed))) as Record<
      string,
      unknown
    >;
    const { type, allocated, remaining, hasAccess } = shown;
    const limit = (one: unknown) => (one === null ? 'no limit' : JSON.stringify(one));
    expect(
      `${type as string}, allocated ${limit(allocated)}, consumed ${limit(shown['consumed'])}, ` +
        `remaining ${limit(remaining)}, access ${hasAccess === true ? 'yes' : 'no'}\n`,
    ).toBe(comes);
  },
);

function planSource(json: string): EntitlementSource {
  const [{ featureId, name, type, limit, metricId }] = readFeatures([readRequestJson(json)]) as [
    ReturnType<typeof readFeatures>[number],
  ];
  const consumption = metricId
    ? { metricId, start: instant('2026-01-01'), end: instant('2026-02-01') }
    : null;
  return { featureId, name, type, limit, consumption, pricingModel: null };
}

async function grantSource(json: string): Promise<EntitlementSource> {
  const { featureId, limit = null } = await readEntitlementGrant(json);
  return { featureId, limit, name: null, type: null, consumption: null, pricingModel: null };
}

it('has examples of both', () => {
  expect(examplesOf(page, 'wallet').length).toBeGreaterThan(1);
  expect(examplesOf(page, 'entitlement').length).toBeGreaterThan(3);
});
