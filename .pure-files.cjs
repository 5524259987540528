/** The files that must be pure, for the linters: deciders, rating, the ledger and postings, and every file of ours that one of them loads. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { dirname, join, posix } = require('node:path');

const read = (file) => readFileSync(join(__dirname, file), 'utf8');

/** The TypeScript files below a folder without their specs, from the root. */
function sourcesIn(folder) {
  return readdirSync(join(__dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}

/** What a file loads of ours. Types alone are not loaded. */
function loadedBy(file) {
  return [...read(file).matchAll(/^(?:import|export)(?! type\b)[^;]*?from '([^']+)';$/gm)]
    .map(([, name]) => name)
    .filter((name) => /^[.#]/.test(name))
    .map((name) =>
      name.startsWith('#')
        ? `${name.slice(1)}/index.ts`
        : posix.join(dirname(file), name.replace(/\.js$/, '.ts')),
    )
    .filter((loaded) => existsSync(join(__dirname, loaded)));
}

function withAllLoaded(files) {
  const found = new Set(files);
  // A set that is added to while it is walked is walked to its new end.
  for (const file of found) for (const loaded of loadedBy(file)) found.add(loaded);
  return [...found];
}

/** Contexts are in both folders: webhooks are a context that stands above the others. */
const contexts = [...sourcesIn('libs/contexts'), ...sourcesIn('libs/outputs')];
const deciders = contexts.filter((file) => /^(export )?const \w+ = defineDecider\b/m.test(read(file)));
const postings = contexts.filter((file) => /\/postings(\/|\.ts$)/.test(file));
const ledger = sourcesIn('libs/contexts/ledger').filter((file) => !file.endsWith('.context.ts'));
const roots = [...deciders, ...sourcesIn('libs/rating'), ...ledger, ...postings];

module.exports = { roots, files: withAllLoaded(roots) };
