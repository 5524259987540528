import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledPath } from '../processes/paths.js';

/**
 * A file that names the build which migrated the embedded Postgres cluster last. If the same build starts again, the build does not need to
 * load all migrations. The file is in the cluster's folder, so it is copied or removed together with the cluster. An external database has
 * no such file. Other programs can change an external database, so it is migrated at each start.
 */
export class MigrationStamp {
  private readonly path: string;

  /** @param cluster the folder of the embedded Postgres cluster */
  constructor(cluster: string) {
    this.path = join(cluster, 'countinghouse-migrated');
  }

  /** Tells whether this build was the last build that migrated the cluster. */
  async isCurrent(): Promise<boolean> {
    const noted = await readFile(this.path, 'utf8').catch(() => undefined);
    return noted !== undefined && noted === (await fingerprintOfBuild());
  }

  /**
   * Migrates the cluster and records that this build has migrated it. The old stamp is removed first. If the migration is interrupted, the
   * earlier build would otherwise start on a partly migrated cluster without a check.
   */
  async renewAfter(migrate: () => Promise<void>): Promise<void> {
    await rm(this.path, { force: true });
    await migrate();
    await writeFile(this.path, await fingerprintOfBuild());
  }
}

/** Returns a fingerprint of the build. The fingerprint depends on the time and size of each source, and on the compiler's settings. */
export async function fingerprintOfBuild(): Promise<string> {
  return createHash('sha256')
    .update(await readFile(compiledPath('.build')))
    .digest('hex');
}
