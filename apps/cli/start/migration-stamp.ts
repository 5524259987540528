import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compiled } from '../processes/paths.js';

/**
 * Notes in the folder of the embedded cluster which build has migrated it. The next start of the same build then need not load
 * all migrations to find that none is left. The note goes where the cluster goes: a folder that was removed or brought back from
 * a copy has its own. Another server's database may be changed by anybody, so it is migrated at each start.
 */
export class MigrationStamp {
  private readonly path: string;

  /** @param cluster the folder of the embedded Postgres cluster */
  constructor(cluster: string) {
    this.path = join(cluster, 'countinghouse-migrated');
  }

  /** Whether this build has migrated the cluster, and none since. */
  async isCurrent(): Promise<boolean> {
    const noted = await readFile(this.path, 'utf8').catch(() => undefined);
    return noted !== undefined && noted === (await buildFingerprint());
  }

  /** Notes that this build has migrated the cluster. */
  async write(): Promise<void> {
    await writeFile(this.path, await buildFingerprint());
  }
}

/** What the build was made of: the time and size of each source, and the compiler's settings. */
export async function buildFingerprint(): Promise<string> {
  return createHash('sha256')
    .update(await readFile(compiled('.build')))
    .digest('hex');
}
