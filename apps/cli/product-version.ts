import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './processes/paths.js';

/** The version of this program, as package.json has it. */
export async function productVersion(): Promise<string> {
  const text = await readFile(join(projectRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
