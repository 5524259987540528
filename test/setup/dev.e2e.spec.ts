import { appendFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '#apps/cli';
import { countinghouse, endCommands, type CommandRun } from '../support/command.js';

/** `npm run dev`, on a copy of the project, whose sources it may change. */
describe('countinghouse dev', () => {
  const parts = ['apps', 'libs', 'projections', 'package.json', 'package-lock.json', '.swcrc'];
  let project: string;
  let port: number;
  let running: CommandRun;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'dev-'));
    for (const part of parts) await cp(part, join(project, part), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(project, 'node_modules'));
    port = await findFreePort();
    running = countinghouse(
      ['dev', '--no-demo'],
      { PORT: String(port), DATA_DIR: join(project, '.data') },
      project,
    );
    await running.prints('Watching the sources');
  });
  afterAll(async () => {
    await endCommands();
    await rm(project, { recursive: true, force: true });
  });

  it('restarts the app whose source has changed, and no other', async () => {
    await appendFile(join(project, 'apps/projector/main.ts'), '\n// changed\n');
    await running.prints('Changed: apps/projector/main.ts\nprojector runs again\n');
    expect(running.output.text).not.toContain('api runs again');
    expect((await fetch(`http://127.0.0.1:${port}/v1/health`)).status).toBe(200);
  });

  it('goes on with what was built when a source does not compile, and says where', async () => {
    await appendFile(join(project, 'apps/saga/main.ts'), '\nconst half =\n');
    await running.prints('apps/saga/main.ts:');
    expect(running.output.text).not.toContain('saga runs again');
    await appendFile(join(project, 'apps/saga/main.ts'), '\n1;\n');
    await running.prints('saga runs again');
  });
});
