import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');

/** The default export of a discovered file, and the file's location. */
export interface Discovered<T> {
  /** The name of its folder. */
  readonly folder: string;
  /** The path of the file from the root of the project, without the file's extension. */
  readonly file: string;
  readonly value: T;
}

/**
 * Returns the default exports of the files `<parent>/<folder>/<folder>.<kind>`, by folder in alphabetical order. A new folder of this form
 * needs no entry in any list.
 *
 * @throws Error if a found file has no default export
 */
export function discoverFiles<T>(parent: string, kind: string): Discovered<T>[] {
  const folders = readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return folders.flatMap((folder) => {
    const files = readdirSync(join(root, parent, folder));
    const name = `${folder}.${kind}`;
    if (!files.includes(`${name}.js`)) return [];
    const file = `${parent}/${folder}/${name}`;
    const { default: value } = require(join(root, `${file}.js`)) as { default?: T };
    if (value === undefined) throw new Error(`${file}.ts exports nothing by default`);
    return [{ folder, file, value }];
  });
}
