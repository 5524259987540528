/** The files that must be pure, for the linters: rating, the ledger, and every file of a context that holds a decider. */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const deciders = readdirSync(join(__dirname, 'libs/contexts'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map((file) => `libs/contexts/${file.replaceAll('\\', '/')}`)
  .filter((file) =>
    /^(export )?const \w+ = defineDecider\b/m.test(readFileSync(join(__dirname, file), 'utf8')),
  );

module.exports = { deciders, rating: 'libs/rating', ledger: 'libs/contexts/ledger' };
