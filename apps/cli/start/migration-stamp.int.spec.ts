import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MigrationStamp } from './migration-stamp.js';

let cluster: string;
let stamp: MigrationStamp;
beforeEach(async () => {
  cluster = await mkdtemp(join(tmpdir(), 'migration-stamp-'));
  stamp = new MigrationStamp(cluster);
});
afterEach(() => rm(cluster, { recursive: true, force: true }));

describe('the stamp of a cluster', () => {
  it('is not current while the cluster is migrated, and after a migration that failed', async () => {
    await stamp.renewAfter(async () => undefined);
    expect(await stamp.isCurrent()).toBe(true);

    let wasCurrent: boolean | undefined;
    const failing = stamp.renewAfter(async () => {
      wasCurrent = await stamp.isCurrent();
      throw new Error('a migration failed');
    });
    await expect(failing).rejects.toThrow('a migration failed');
    expect(wasCurrent).toBe(false);
    expect(await stamp.isCurrent()).toBe(false);
  });
});
