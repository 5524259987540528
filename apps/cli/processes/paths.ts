import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder));
}

/** The root folder of the project. */
export const projectRoot = packageRoot(import.meta.dirname);

/** Returns the absolute path of a compiled file, such as `apps/api/main.js`. The result is the same if this code runs from the sources. */
export const compiledPath = (path: string): string => join(projectRoot, 'dist', path);

/** Returns a path for messages: relative if it is below the current folder, otherwise absolute. */
export function displayPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
