import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { playFullDisk } from './full-disk.ts';
import { Random } from './load/random.ts';

const MINUTES = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a full disk', () => {
  it(
    'stops writes with 503 and a code, and nothing that was acknowledged is lost when there is room again',
    async () => {
      const options = {
        workspaces: 2,
        extent: { newcomers: [1, 2], usage: [2, 4], repeated: 0.2 },
        controls: [],
      } as const;
      const report = await playFullDisk(folder, new Random('full disk'), options, (reason) =>
        process.stderr.write(`\nSKIPPED: a full disk, since ${reason}\n`),
      );
      if (!report) return;
      expect(report.findings).toEqual([]);
      expect(report.putOff.get('storage_full')).toBeGreaterThan(0);
    },
    5 * MINUTES,
  );
});
