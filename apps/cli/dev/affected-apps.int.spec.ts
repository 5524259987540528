import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { affectedApps } from './affected-apps.js';

const files = {
  'apps/api/main.js': "import { a } from './routes.js';",
  'apps/api/routes.js': 'import{b}from"#libs/contexts/invoicing";const late = await import("./late.js");',
  'apps/api/late.js': 'export {};',
  'apps/saga/main.js': "import '#libs/contexts/invoicing'; import pg from 'pg';",
  'apps/projector/main.js': "export * from '#libs/kernel/core';",
  'libs/contexts/invoicing/index.js': "export * from './pages/page.js';",
  'libs/contexts/invoicing/pages/page.js': "import { c } from '../../../kernel/core/index.js';",
  'libs/kernel/core/index.js': "export * from './again.js';",
  'libs/kernel/core/again.js': "import './index.js';",
};
const apps = ['projector', 'saga', 'api'];

describe('affectedApps', () => {
  let dist: string;
  const affected = (...changed: string[]) => affectedApps(apps, changed, dist);
  beforeAll(async () => {
    dist = await mkdtemp(join(tmpdir(), 'dist-'));
    for (const [path, code] of Object.entries(files)) {
      await mkdir(dirname(join(dist, path)), { recursive: true });
      await writeFile(join(dist, path), code);
    }
  });
  afterAll(() => rm(dist, { recursive: true, force: true }));

  it('finds every app that imports the file, directly or indirectly', async () => {
    expect(await affected('apps/api/late.ts')).toEqual(['api']);
    expect(await affected('libs/contexts/invoicing/pages/page.ts')).toEqual(['saga', 'api']);
    expect(await affected('libs/kernel/core/again.ts')).toEqual(apps);
  });

  it('finds none for a file that no app imports', async () => {
    expect(await affected('libs/kernel/testing/index.ts', 'apps/cli/main.ts')).toEqual([]);
  });

  it('treats a template as part of its whole folder', async () => {
    expect(await affected('libs/contexts/invoicing/pages/invoice.hbs')).toEqual(['saga', 'api']);
  });
});
