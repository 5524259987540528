/**
 * What must be pure, checked over everything that it loads, however far away: deciders, rating and the ledger. A decision is made of
 * state and command alone, so that a replay comes to the same. Types alone load nothing.
 */
const pure = require('./.pure-files.cjs');
const { options } = require('./.dependency-cruiser.cjs');

const ours = '^libs/(kernel/(core|domain)|rating|contexts|outputs)/';
const packages = 'node_modules/(decimal\\.js|temporal-polyfill|temporal-utils|ulid)/';
/** Of Node: hashes for derived ids, comparison of values, checksums of logos. All are the same each time. */
const ofNode = '^(node:)?(crypto|util|zlib)$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'pure-code-loads-nothing-impure',
      comment: 'No framework, clock, randomness, file, network or database, in whatever is loaded with it.',
      severity: 'error',
      from: { path: pure.roots.map((file) => `^${file.replaceAll('.', '\\.')}$`) },
      to: { pathNot: [ours, packages, ofNode], reachable: true },
    },
  ],
  options: { ...options, tsPreCompilationDeps: false },
};
