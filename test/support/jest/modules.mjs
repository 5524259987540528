// Jest would compile and run the product and its packages anew for each test file, which takes seconds. This puts a few
// lines in the place of such a module that take what Node itself has loaded, which a worker does once: of the product
// what is shipped, its compiled sources. What test files of a worker share, in test/support/per-worker, is loaded so too.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { LOAD } from './environment.mjs';

const root = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);

/** A transformer of Jest for everything that is not part of the tests. */
export default {
  getCacheKey(source, path, options) {
    const { code } = this.process(source, path, options);
    return createHash('sha256').update(code).digest('hex');
  },

  process(source, path, { supportsStaticESM, supportsDynamicImport }) {
    // What Jest loads for itself, such as the global set-up, has no context yet; there nothing can be imported.
    if (!supportsDynamicImport) return { code: source };
    const file = fileOf(path);
    const load = `globalThis[Symbol.for(${JSON.stringify(LOAD.description)})](${JSON.stringify(file)})`;
    return {
      code: supportsStaticESM ? reexport(load, Object.keys(require(file))) : `module.exports = ${load};`,
    };
  },
};

/** The file that Node loads: for a source of the product the compiled one. Node itself removes the types of what tests share. */
function fileOf(path) {
  return path.endsWith('.ts') && !path.startsWith(join(root, 'test'))
    ? join(root, 'dist', relative(root, path)).replace(/\.ts$/, '.js')
    : path;
}

function reexport(load, names) {
  const lines = names.map((name) =>
    name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`,
  );
  return [`const loaded = ${load};`, ...lines].join('\n');
}
