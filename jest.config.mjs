const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2024',
    keepClassNames: true,
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
};

const common = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  globalSetup: '<rootDir>/test/support/jest/build.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  // Our sources are the only .ts files; packages that ship .ts beside .js must resolve to .js.
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  // The tests themselves are Jest's; what they test, and with what, is loaded by Node.
  transform: {
    '/test/support/per-worker/.+\\.ts$': '<rootDir>/test/support/jest/modules.mjs',
    '\\.spec\\.ts$|/test/.+\\.ts$': ['@swc/jest', swc],
    '\\.ts$|/node_modules/': '<rootDir>/test/support/jest/modules.mjs',
  },
  // An answer's body is compared with a test's own objects, so it is made where they are.
  transformIgnorePatterns: ['/node_modules/(@jest|jest|expect|supertest|superagent)'],
  moduleNameMapper: {
    '^#projections$': '<rootDir>/projections/index.ts',
    '^#(libs|projections|apps)/(.+)$': '<rootDir>/$1/$2/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};

const kind = (displayName, testMatch, more = {}) => ({ ...common, displayName, testMatch, ...more });

/** Real servers, shared by a whole run: see test/support/global-setup.ts. */
const withServers = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export default {
  projects: [
    kind('unit', ['**/*.spec.ts', '!**/*.int.spec.ts', '!**/*.e2e.spec.ts']),
    kind('integration', ['**/*.int.spec.ts'], withServers),
    kind('e2e', ['**/*.e2e.spec.ts'], withServers),
  ],
  // It ends what hangs. Beside other specs, on a slow machine, a test takes several times as long as alone.
  testTimeout: 600_000,
  maxWorkers: 2,
};
