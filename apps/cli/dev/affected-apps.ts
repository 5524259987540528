import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../processes/paths.js';

/** The file in which the build lists the compiled files of each program, relative to dist/. */
const INPUTS = join(projectRoot, 'dist/programs/inputs.json');

/**
 * Returns the apps that must restart after a change. An app is affected if its program contains a changed file. Call `affectedApps` after
 * the build.
 *
 * @param apps the names of folders in apps/
 * @param changed the changed sources, relative to the project's folder
 */
export async function affectedApps(apps: string[], changed: string[]): Promise<string[]> {
  const files = JSON.parse(await readFile(INPUTS, 'utf8')) as Record<string, string[]>;
  const compiled = new Set(changed.map((source) => source.replace(/\.ts$/, '.js')));
  return apps.filter((app) => files[app]?.some((file) => compiled.has(file)));
}
