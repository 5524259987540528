import { BlockedByDependentObjects, dropOldModelTables, tableNamesOf } from '#libs/kernel/projection';
import { CliError } from '../cli-error.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { openReadModelSources, projectionsNamed } from './read-model-sources.js';

/** Drops the tables that the last rebuild of the named read models replaced and kept. Resolves to the names of the dropped tables. */
export async function dropOldTables(
  names: readonly string[],
  all: boolean | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const projections = projectionsNamed(names, all);
  const sources = await openReadModelSources(await readSettingsWithServerUrls(env), 'projections drop-old');
  try {
    return await dropOldModelTables(sources.pool, all ? 'all' : await tableNamesOf(projections, sources));
  } catch (error) {
    throw error instanceof BlockedByDependentObjects ? new CliError(error.message) : error;
  } finally {
    await sources.close();
  }
}
