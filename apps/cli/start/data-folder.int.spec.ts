import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startOf } from '../processes/process-list.js';
import { DataFolder } from './data-folder.js';

describe('DataFolder', () => {
  let path: string;
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'data-folder-')), 'data');
  });
  afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

  it('is held by one instance at a time', async () => {
    const first = await DataFolder.take(path);
    await expect(DataFolder.take(path)).rejects.toThrow(
      `The data folder ${path} is in use by another Countinghouse (process ${process.pid}); stop that one, or set DATA_DIR to another folder`,
    );
    await first.release();
    const second = await DataFolder.take(path);
    expect(second.wasAbandoned).toBe(false);
  });

  it('is free again when the process that held it was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    const start = await startOf(child.pid!);
    const folder = await DataFolder.take(path);
    await folder.release();
    await writeFile(join(path, 'lock'), JSON.stringify({ pid: child.pid, start }));
    await expect(DataFolder.take(path)).rejects.toThrow('in use by another Countinghouse');

    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await DataFolder.take(path)).wasAbandoned).toBe(true);
  });

  it('is not held by another process that has got the pid of one that is gone', async () => {
    const folder = await DataFolder.take(path);
    await folder.release();
    await writeFile(join(path, 'lock'), JSON.stringify({ pid: process.pid, start: 'some time ago' }));
    expect((await DataFolder.take(path)).wasAbandoned).toBe(true);
  });

  it('makes its secrets once, for its owner alone', async () => {
    const folder = await DataFolder.take(path);
    const secrets = await folder.secrets();
    expect(secrets.jwtSecret.length).toBeGreaterThanOrEqual(32);
    expect((await stat(join(path, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(await folder.secrets()).toEqual(secrets);
    expect(secrets.jwtSecret).not.toBe(secrets.postgresPassword);
  });

  it('does not make new secrets when the file is broken, for then the database would be lost', async () => {
    const folder = await DataFolder.take(path);
    await folder.secrets();
    await writeFile(join(path, 'secrets.json'), '{"jwtSec');
    await expect(folder.secrets()).rejects.toThrow(`${join(path, 'secrets.json')} is broken`);
    expect(await readFile(join(path, 'secrets.json'), 'utf8')).toBe('{"jwtSec');
  });

  it('refuses a path that is no folder in one line', async () => {
    await chmod(join(path, '..'), 0o700);
    await writeFile(path, '');
    await expect(DataFolder.take(path)).rejects.toThrow(
      new RegExp(`^The data folder ${path} cannot be used \\(.*\\); set DATA_DIR to another$`),
    );
  });

  it('refuses a folder in one that takes none, instead of trying for ever', async () => {
    await expect(DataFolder.take('/proc/countinghouse')).rejects.toThrow(
      /^The data folder \/proc\/countinghouse cannot be used \(.*\); set DATA_DIR to another$/,
    );
  });
});
