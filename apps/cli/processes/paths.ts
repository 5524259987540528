import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the project. */
export const projectRoot = dirname(fileURLToPath(import.meta.resolve('#project/package.json')));

/**
 * Returns the absolute path of the file of a program, such as `api`. The path of the compiled program is returned even if this code runs
 * from the sources.
 */
export const programPath = (name: string): string => join(projectRoot, 'dist/programs', `${name}.js`);

/** Returns the absolute path of a compiled file. */
export const compiledPath = (path: string): string => join(projectRoot, 'dist', path);

/** Returns a path for messages: relative if it is below the current folder, otherwise absolute. */
export function displayPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
