import { globSync } from 'node:fs';

/**
 * What is mutated, by folder: rating, the deciders with their `evolve`, and the other pure parts of these contexts. What
 * only presents, previews, puts together or talks to a store is tested over HTTP instead.
 */
export const SCOPE: Readonly<Record<string, readonly string[]>> = {
  'libs/rating': ['**/*'],
  'libs/contexts/subscriptions': [
    'decisions/*',
    'apply-bill',
    'bill',
    'commitment-progress',
    'consolidated-invoices',
    'decider',
    'evolve',
    'next-due',
    'planned-migrations',
    'prepaid',
    'quantities',
    'subscription',
    'upcoming',
  ],
  'libs/contexts/invoicing': [
    'decisions/*',
    'settings/billing-settings',
    'invoice',
    'decider',
    'evolve',
    'invoice-parts',
    'creditable-lines',
    'tax-rates-of-line',
  ],
  'libs/contexts/billing': [
    'earlier-invoices/{billed-commitments,billed-usage,carried-discounts,invoiced-before,invoiced-before-problems,source-lines}',
    'consolidation/consolidation',
    'manual/read-items',
    'price/coupon-terms',
    'runs/billing-run',
  ],
  'libs/contexts/balances': ['balance'],
  'libs/contexts/catalog': [
    'metrics/{aggregation,metric}',
    'plans/{billing-thresholds,minimum-commitment,plan,plan-features}',
    'prices/{price,price-rules}',
  ],
  'libs/contexts/coupons': ['coupon', 'customer-coupons'],
  'libs/contexts/customers': ['customer'],
  'libs/contexts/identity': ['api-key', 'roles', 'session', 'user', 'workspace'],
  'libs/contexts/price-migrations': ['plan-migrations', 'price-migration', 'migration-action'],
  'libs/contexts/taxes': ['tax-rate'],
};

/** The specs that may notice a mutant: the unit specs of these contexts, of what follows from their events, and the worked cases. */
export const SPECS = [
  'libs/{rating,contexts,kernel/!(projection|telemetry),outputs/publishing}/**/*.spec.ts',
  'projections/**/*.spec.ts',
  'test/golden/*.spec.ts',
  'test/docs/billing-rules.spec.ts',
];

/** The files that are mutated, of those that are or are in one of `only`; of all if that is empty. */
export function mutatedFiles(root: string, only: readonly string[]): string[] {
  const patterns = Object.entries(SCOPE).flatMap(([folder, files]) =>
    files.map((file) => `${folder}/${file}.ts`),
  );
  return globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith('.spec.ts') && !file.endsWith('/index.ts'))
    .filter(
      (file) =>
        only.length === 0 ||
        only.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
    )
    .sort();
}
