// Lets Node run the TypeScript of the tests as it stands, for tools that are no Jest tests: compiled in memory by the
// same swc, with the same settings, as the product.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const root = join(import.meta.dirname, '../..');
const { jsc, module } = JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8'));

registerHooks({
  // Imports name the file that a source is compiled to.
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/^\.{1,2}\/.*\.js$/.test(specifier)) throw error;
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const source = readFileSync(filename, 'utf8');
    const { code } = transformSync(source, { jsc, module, filename, swcrc: false, sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
