import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { processStartTime } from '../processes/process-list.js';
import { DataFolder } from './data-folder.js';

describe('DataFolder', () => {
  let path: string;
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'data-folder-')), 'data');
  });
  afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

  it('is locked by one instance at a time', async () => {
    const first = await DataFolder.acquire(path);
    await expect(DataFolder.acquire(path)).rejects.toThrow(
      `The data folder ${path} is in use by another Countinghouse (process ${process.pid}); stop that one, or set DATA_DIR to another folder`,
    );
    await first.release();
    const second = await DataFolder.acquire(path);
    expect(second.wasAbandoned).toBe(false);
  });

  it('is free again when the process that locked it was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    const start = await processStartTime(child.pid!);
    const folder = await DataFolder.acquire(path);
    await folder.release();
    await writeFile(join(path, 'lock'), JSON.stringify({ pid: child.pid, start }));
    await expect(DataFolder.acquire(path)).rejects.toThrow('in use by another Countinghouse');

    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await DataFolder.acquire(path)).wasAbandoned).toBe(true);
  });

  it('is not locked by another process that has the pid of an ended one', async () => {
    const folder = await DataFolder.acquire(path);
    await folder.release();
    await writeFile(join(path, 'lock'), JSON.stringify({ pid: process.pid, start: 'some time ago' }));
    expect((await DataFolder.acquire(path)).wasAbandoned).toBe(true);
  });

  it('is locked by one of two processes that read the same abandoned lock', async () => {
    // The pipe holds the second process between the reading of the lock and what follows.
    await mkdir(path);
    execFileSync('mkfifo', [join(path, 'lock')]);
    const second = DataFolder.acquire(path).catch((error: Error) => error.message);
    const pipe = await open(join(path, 'lock'), 'w');
    await rm(join(path, 'lock'));
    await DataFolder.acquire(path);
    const lock = await readFile(join(path, 'lock'), 'utf8');
    await pipe.writeFile(JSON.stringify({ pid: process.pid, start: 'some time ago' }));
    await pipe.close();

    expect(await second).toContain('in use by another Countinghouse');
    expect(await readFile(join(path, 'lock'), 'utf8')).toBe(lock);
    expect(await readdir(path)).toEqual(['lock', 'logs']);
  });

  it.each(['', '{"pid":1', 'null'])('is free if its lock is unreadable: %j', async (text) => {
    await mkdir(path);
    await writeFile(join(path, 'lock'), text);
    expect(await DataFolder.isInUse(path)).toBe(false);
    expect((await DataFolder.acquire(path)).wasAbandoned).toBe(true);
    expect(await DataFolder.isInUse(path)).toBe(true);
  });

  it('is free again when a process was killed while it replaced an abandoned lock', async () => {
    await mkdir(path);
    const abandoned = JSON.stringify({ pid: process.pid, start: 'some time ago' });
    for (const name of ['lock', 'lock.a-draft', 'lock.takeover'])
      await writeFile(join(path, name), abandoned);
    expect((await DataFolder.acquire(path)).wasAbandoned).toBe(true);
    expect(await readdir(path)).toEqual(['lock', 'lock.a-draft', 'logs']);
  });

  it('keeps a lock of another process when it is released', async () => {
    const folder = await DataFolder.acquire(path);
    const other = JSON.stringify({ pid: process.pid, start: 'some time ago' });
    await writeFile(join(path, 'lock'), other);
    await folder.release();
    expect(await readFile(join(path, 'lock'), 'utf8')).toBe(other);
  });

  it('creates its secrets once, readable by its owner only', async () => {
    const folder = await DataFolder.acquire(path);
    const jwtSecret = await folder.getOrCreateJwtSecret();
    const secrets = await folder.getOrCreateSecrets();
    expect(secrets.jwtSecret).toBe(jwtSecret);
    expect(jwtSecret.length).toBeGreaterThanOrEqual(32);
    expect((await stat(join(path, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(await folder.getOrCreateSecrets({ jwtSecret: 'another', postgresPassword: 'other' })).toEqual(
      secrets,
    );
    expect(jwtSecret).not.toBe(secrets.postgresPassword);
  });

  it('does not create new secrets if the file is broken, because the database would be lost', async () => {
    const folder = await DataFolder.acquire(path);
    await folder.getOrCreateSecrets();
    await writeFile(join(path, 'secrets.json'), '{"jwtSec');
    await expect(folder.getOrCreateSecrets()).rejects.toThrow(`${join(path, 'secrets.json')} is broken`);
    expect(await readFile(join(path, 'secrets.json'), 'utf8')).toBe('{"jwtSec');
  });

  it('refuses a folder that has other files, and does not change it', async () => {
    await mkdir(path, { mode: 0o755 });
    for (const name of ['notes.txt', 'logs']) await writeFile(join(path, name), '');
    await expect(DataFolder.acquire(path)).rejects.toThrow(
      `The data folder ${path} is not empty: it has "notes.txt". Set DATA_DIR to a new folder, or move this one away`,
    );
    expect(await readdir(path)).toEqual(['logs', 'notes.txt']);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['a new volume', ['lost+found']],
    ['a start that was ended early', ['lock', 'logs', 'ports.json', 'secrets.json.new']],
    ['an API that ran on its own and printed', ['chromium']],
    ['an instance of any version', ['backups', 'logs', 'postgres', 'secrets.json']],
    ['keys alone, of a database elsewhere', ['secrets.json']],
    ['a restore that was ended early', ['postgres.new', 'unfinished-restore']],
  ])('takes the folder of %s', async (_what, names) => {
    await mkdir(path);
    for (const name of names) await mkdir(join(path, name));
    await rm(join(path, 'lock'), { recursive: true, force: true });
    await (await DataFolder.acquire(path)).release();
  });

  it('refuses a path that is not a folder, with a one-line message', async () => {
    await chmod(join(path, '..'), 0o700);
    await writeFile(path, '');
    await expect(DataFolder.acquire(path)).rejects.toThrow(
      new RegExp(`^The data folder ${path} cannot be used \\(.*\\); set DATA_DIR to another$`),
    );
  });

  it('refuses a folder whose parent accepts no folders, instead of trying for ever', async () => {
    await expect(DataFolder.acquire('/proc/countinghouse')).rejects.toThrow(
      /^The data folder \/proc\/countinghouse cannot be used \(.*\); set DATA_DIR to another$/,
    );
  });
});
