import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder));
}

/** Folder of the project. */
export const projectRoot = packageRoot(import.meta.dirname);

/** Absolute path of a compiled file, such as `apps/api/main.js`; the same from the sources, under test, and from dist. */
export const compiled = (path: string): string => join(projectRoot, 'dist', path);

/** A path as it is shown to a person: relative to where the command was called when it is below, else absolute. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
