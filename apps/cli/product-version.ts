import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './processes/paths.js';

/** Returns the version of this program from package.json. */
export async function productVersion(): Promise<string> {
  const text = await readFile(join(projectRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
