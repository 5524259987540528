import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../processes/paths.js';

// Matches every form of import in compiled code: `from '…'`, `import '…'` and `import('…')`.
const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g;

/** Matches the folder of an app, of a read model, or of a module in libs. */
const FOLDER = /^(libs\/(kernel|contexts|outputs)|[^/]+)\/[^/]+\//;

/**
 * Returns the apps that must restart after a change. An app is affected if its compiled `main.js` imports a changed file, directly or
 * indirectly. A file that is not a module, such as a template, is treated as part of its whole folder (`libs/contexts/invoicing`).
 *
 * @param apps the names of folders in apps/
 * @param changed the changed sources, relative to the project's folder
 */
export async function affectedApps(
  apps: string[],
  changed: string[],
  dist = join(projectRoot, 'dist'),
): Promise<string[]> {
  const known = new Map<string, Promise<string[]>>();
  const affected = await Promise.all(
    apps.map(async (app) => {
      const files = await reachableFiles(`apps/${app}/main.js`, dist, known);
      return changed.some((source) => affectsFiles(source, files));
    }),
  );
  return apps.filter((_, index) => affected[index]);
}

function affectsFiles(source: string, files: Set<string>): boolean {
  const module = source.replace(/\.ts$/, '.js');
  if (files.has(module)) return true;
  const folder = FOLDER.exec(source)?.[0];
  return (
    !source.endsWith('.ts') && folder !== undefined && [...files].some((file) => file.startsWith(folder))
  );
}

async function reachableFiles(
  entry: string,
  dist: string,
  known: Map<string, Promise<string[]>>,
): Promise<Set<string>> {
  const seen = new Set([entry]);
  // Iterating over a set also visits the items that are added during the loop.
  for (const file of seen) {
    const imports = known.get(file) ?? importsOf(file, dist);
    known.set(file, imports);
    for (const imported of await imports) seen.add(imported);
  }
  return seen;
}

async function importsOf(file: string, dist: string): Promise<string[]> {
  const code = await readFile(join(dist, file), 'utf8').catch(() => '');
  return [...code.matchAll(importPattern)].flatMap(([, name]) => resolve(name ?? '', file, dist));
}

function resolve(name: string, from: string, dist: string): string[] {
  if (name.startsWith('#')) return [`${name.slice(1)}/index.js`];
  if (!name.startsWith('.')) return [];
  return [relative(dist, join(dist, dirname(from), name)).replaceAll('\\', '/')];
}
