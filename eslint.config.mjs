import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import pure from './.pure-files.cjs';

const clock =
  'The clock is read in libs/kernel/system alone: take the time as an argument, or use its systemClock.';
const systemClock = [
  { selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]', message: clock },
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: clock },
  { selector: 'CallExpression[callee.name="Date"]', message: clock },
  { selector: 'MemberExpression[object.name="Temporal"][property.name="Now"]', message: clock },
];

const anyNode = {
  selector:
    'CallExpression[callee.object.name="EventStoreDBClient"][callee.property.name="connectionString"]',
  message: 'Such a client reads from any node of a cluster: use openClient or connectToLeader.',
};

const chance = 'Pure code makes no ids and reads no clock: both come in with the command.';
const purity = {
  'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: chance }],
  'no-restricted-globals': [
    'error',
    ...['crypto', 'process', 'performance', 'fetch', 'setTimeout'].map((name) => ({ name, message: chance })),
  ],
};

const spread =
  'Write the fields out: of a literal that is spread, the compiler does not refuse fields that do not exist.';
const literalSpreads = ['ObjectExpression', 'ArrayExpression'].map((literal) => ({
  selector: `:matches(ObjectExpression, ArrayExpression, CallExpression, NewExpression) > SpreadElement > ${literal}`,
  message: spread,
}));

// The compiler does not say that a field which is added later ends up in the rest.
const underscores = {
  selector: 'Identifier[name=/^_{2,}$/]',
  message: 'Pick the fields that are wanted, or name those that are not with omit.',
};

const sleep = {
  selector: 'NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
  message: 'A test does not sleep: hold what races and release it, or wait for what is to happen.',
};

// Scripts outside of the product: what starts it, and what looks at it from the outside.
const nodeGlobals = Object.fromEntries(
  [
    'Buffer',
    'URL',
    'URLSearchParams',
    '__dirname',
    'clearInterval',
    'clearTimeout',
    'console',
    'crypto',
    'fetch',
  ]
    .concat(['module', 'performance', 'process', 'require', 'setInterval', 'setTimeout', 'structuredClone'])
    .concat(['AbortController', 'AbortSignal', 'TextDecoder', 'TextEncoder'])
    .map((name) => [name, name === 'module' ? 'writable' : 'readonly']),
);

export default defineConfig(
  // The client needs types that are generated for it: test/openapi/client.spec.ts compiles it.
  globalIgnores(['dist/', 'node_modules/', '.data/', 'coverage/', 'test/openapi/client/']),
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.mts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Of a promise that nobody waits for, nobody hears the failure; `void` marks the few that are meant so.
      '@typescript-eslint/no-floating-promises': 'error',
      // A new event or command must be handled wherever the others are; a default case would hide it.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      // Nest reads constructor parameters from the compiled metadata, and the rule knows which imports those need.
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      // An unused parameter that must be there for the next one is named with an underscore.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // An interface may demand a promise of a method that has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-restricted-syntax': ['error', ...systemClock, ...literalSpreads, underscores, anyNode],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['libs/kernel/event-store/leader-client.ts'],
    rules: { 'no-restricted-syntax': ['error', ...systemClock, ...literalSpreads, underscores] },
  },
  {
    files: ['libs/kernel/system/**'],
    rules: { 'no-restricted-syntax': ['error', ...literalSpreads, underscores] },
  },
  {
    files: pure.files,
    rules: purity,
  },
  {
    // A handler declares the view that it answers with, so that the compiler refuses an answer that departs from its schema.
    files: ['apps/api/**/*.controller.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'error' },
  },
  {
    files: ['**/*.spec.ts', '**/*.test-endpoints.ts', 'test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...systemClock, ...literalSpreads, underscores, sleep],
      // Bodies of HTTP answers and rows are asserted on, not worked with.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: nodeGlobals },
  },
);
