/** The layers of the code, checked. Each rule says why it is there. */
const core = '^libs/kernel/core/';

/** A folder that shows itself through its index. */
const FOLDER =
  '(?:(?:apps|projections|libs/(?:kernel|contexts|outputs))/[^/]+|libs/(?:manifest|rating|usage))';

/** The layers of libs, and what each may import of the others. */
const LAYERS = {
  kernel: [],
  rating: ['kernel'],
  // How events are posted is told in the ledger's terms.
  manifest: ['kernel', 'contexts/ledger'],
  usage: ['kernel', 'manifest'],
  contexts: ['kernel', 'rating', 'usage', 'manifest'],
  outputs: ['kernel', 'rating', 'contexts', 'manifest'],
};
const layers = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `${layer}-imports-only-what-is-below`,
  comment:
    'What serves all can know none of them: kernel, then rating and usage, then the contexts, then what leaves the system.',
  severity: 'error',
  from: { path: `^libs/${layer}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: '^libs/', pathNot: `^libs/(${[layer, ...below].join('|')})/` },
}));

/** The folders of billing in the order in which data flows: each imports those before it. */
const BILLING = [
  ['consolidation'],
  ['decide'],
  ['earlier-invoices'],
  ['measure'],
  ['price'],
  ['invoice'],
  ['advance'],
  ['previews', 'manual'],
  ['changes', 'interim', 'progressive', 'recompute', 'runs'],
];
const billingSteps = BILLING.map((folders, i) => ({
  name: `billing-flows-one-way-to-${folders[0]}`,
  comment:
    'A step of billing knows the steps before it: so each can be read, and changed, without those that follow from it.',
  severity: 'error',
  from: { path: `^libs/contexts/billing/(${folders.join('|')})/`, pathNot: '\\.spec\\.ts$' },
  to: {
    path: [
      `^libs/contexts/billing/(${
        BILLING.slice(i)
          .flat()
          .filter((name) => !folders.includes(name))
          .join('|') || 'none'
      })/`,
      '^libs/contexts/billing/[^/]+\\.ts$',
      ...folders.map((name) => `^libs/contexts/billing/${name}/`),
    ],
    pathNot: `^libs/contexts/billing/$1/`,
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Of two modules that need each other neither can be understood, tested or loaded without the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libs-know-no-app',
      comment:
        'Dependencies point one way, apps -> projections -> libs: a library serves every app, present and future.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|projections|test)/' },
    },
    {
      name: 'projections-know-no-app',
      comment: 'A read model is filled by the projector and read by the API, so it can know neither.',
      severity: 'error',
      from: { path: '^projections/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|test)/' },
    },
    {
      name: 'projections-stand-alone',
      comment: 'A read model can be dropped and rebuilt at any time, so no other may be made of it.',
      severity: 'error',
      from: { path: '^projections/([^/]+)/' },
      to: { path: '^projections/', pathNot: '^projections/($1|[^/]+\\.ts)' },
    },
    {
      name: 'apps-stand-alone',
      comment:
        'Each app runs as a process of its own; the command line alone knows the others, to start and use them.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: ['^apps/cli/', '\\.spec\\.ts$'] },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'only-through-the-index',
      comment:
        "A folder's index.ts is what it promises; the files behind it may change without asking anybody.",
      severity: 'error',
      from: { path: `^(${FOLDER})/` },
      to: { path: `^${FOLDER}/.+`, pathNot: ['^$1/', `^${FOLDER}/index\\.ts$`] },
    },
    {
      name: 'core-stands-alone',
      comment:
        'The core knows nothing of billing and nothing above it, or everything would depend on everything.',
      severity: 'error',
      from: { path: core },
      to: { path: '^(apps|libs|projections)/', pathNot: core },
    },
    ...layers,
    ...billingSteps,
    {
      name: 'event-store-starts-at-once',
      comment:
        'Every other process waits for the event store, and to load a framework takes longer than all that it does.',
      severity: 'error',
      from: { path: '^apps/eventstore/main\\.ts$' },
      to: { path: 'node_modules/(@nestjs|typeorm|rxjs)/', reachable: true },
    },
    {
      name: 'manifests-are-found',
      comment:
        'Every program finds the manifests by their folders: who imports one begins a list of contexts.',
      severity: 'error',
      from: {},
      to: {
        path: '(^libs/.*\\.context|^projections/.*\\.read-models|^apps/api/.*\\.(api|test-endpoints))\\.ts$',
      },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is left over, or was forgotten in an index.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['(^|/)(main|index)\\.ts$', '\\.spec\\.ts$', '\\.d\\.m?ts$', '^apps/cli/bootstrap'],
      },
      to: {},
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'What is built does not hold the tests, nor the packages that only they need.',
      severity: 'error',
      from: {
        path: '^(apps|libs|projections)/',
        pathNot: ['\\.(spec|test-endpoints)\\.ts$', '^libs/kernel/testing/', '^apps/cli/bootstrap/'],
      },
      to: { path: ['\\.(spec|test-endpoints)\\.ts$', '^test/', '^libs/kernel/testing/'] },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'A package that is not in package.json is there by chance and gone one day.',
      severity: 'error',
      from: { path: '^(apps|libs|projections)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-broken-imports',
      comment:
        'An import that leads nowhere fails only when somebody runs it; and no rule here could judge it.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules/', '^dist/'] },
    exclude: { path: ['^dist/'] },
    // Types are promises too: a context that needs another's type depends on it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
};
