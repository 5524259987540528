import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');

/** The default export of a discovered file, and the file's location. */
export interface DiscoveredFile<T> {
  /** The name of its folder. */
  readonly folder: string;
  /** The path of the file from the root of the project, without the file's extension. */
  readonly file: string;
  readonly value: T;
}

/** The name of a folder, and the function that loads the file in the folder. */
type FoundFile = readonly [folder: string, load: () => object];

/**
 * Returns the default exports of the files `<parent>/<folder>/<folder>.<kind>`, by folder in alphabetical order. A new folder with such a
 * file is found without an entry in any list. The first two arguments must be literals, since the build of a bundled program adds the found
 * files as a third argument.
 *
 * @throws Error if a found file has no default export
 */
export function discoverFiles<T>(
  parent: string,
  kind: string,
  files: readonly FoundFile[] = filesOf(parent, kind),
): DiscoveredFile<T>[] {
  return files.map(([folder, load]) => {
    const file = `${parent}/${folder}/${folder}.${kind}`;
    const { default: value } = load() as { default?: T };
    if (value === undefined) throw new Error(`${file}.ts exports nothing by default`);
    return { folder, file, value };
  });
}

function filesOf(parent: string, kind: string): FoundFile[] {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): [string, string] => [name, join(root, parent, name, `${name}.${kind}.js`)])
    .filter(([, file]) => existsSync(file))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, file]) => [folder, () => require(file) as object]);
}
