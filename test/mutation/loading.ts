// How a spec and what it imports are loaded in Stryker's copy of the repository: as under Jest, the product is what was
// compiled to dist/, and the specs are compiled as they are read.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync, type Options } from '@swc/core';

/** What a spec's own code is preceded by, once its imports are loaded. */
type Preamble = (specFile: string) => string;

const specs = new URL('specs.ts', import.meta.url).href;
const swc: Options = {
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

/** Makes Node load the specs under `root`, which import our own `@jest/globals`. */
export function loadSpecsUnder(root: string, preamble: Preamble): void {
  const compiled = new Map<string, string>();
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@jest/globals') return { url: specs, shortCircuit: true };
      const parent = context.parentURL;
      if (!specifier.startsWith('.') || !parent?.startsWith('file:')) return next(specifier, context);
      const path = relative(root, fileURLToPath(new URL(specifier, parent)));
      const url = pathToFileURL(join(root, fileOf(path))).href;
      return path.startsWith('..') ? next(specifier, context) : { url, shortCircuit: true };
    },
    load(url, context, next) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!path.startsWith(root) || !path.endsWith('.ts')) return next(url, context);
      const source = compiled.get(path) ?? compile(path, preamble);
      compiled.set(path, source);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/** The file that is loaded for one that is imported. Both are relative to the root. */
function fileOf(path: string): string {
  const name = path.replace(/\.(js|ts)$/, '');
  const [folder] = path.split(sep);
  if (['libs', 'apps', 'projections'].includes(folder!) && /\.(js|ts)$/.test(path) && !name.endsWith('.spec'))
    return join('dist', `${name}.js`);
  return folder === 'test' && path.endsWith('.js') ? `${name}.ts` : path;
}

function compile(path: string, preamble: Preamble): string {
  const { code } = transformSync(readFileSync(path, 'utf8'), { ...swc, filename: path });
  return path.endsWith('.spec.ts') ? `${preamble(path)}\n${code}` : code;
}
