import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LogFile } from './log-file.js';

describe('LogFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const content = async () =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder))
          .toSorted()
          .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      ),
    );

  it('begins a new file when the next line would make it too large, and keeps the newest few', async () => {
    const log = new LogFile(join(folder, 'api.log'), { maxBytes: 10, keptFiles: 2 });
    for (const line of ['one', 'two', 'three', 'four', 'five', 'a line longer than a file']) log.write(line);
    await log.close();
    expect(await content()).toEqual({
      'api.log': 'a line longer than a file\n',
      'api.log.1': 'four\nfive\n',
      'api.log.2': 'three\n',
    });
  });

  it('continues the file of the last run, and counts its size', async () => {
    for (const line of ['before', 'after']) {
      const log = new LogFile(join(folder, 'api.log'), { maxBytes: 10, keptFiles: 1 });
      log.write(line);
      await log.close();
    }
    expect(await content()).toEqual({ 'api.log': 'after\n', 'api.log.1': 'before\n' });
  });

  it('keeps lines while the file cannot be written, and writes the number of dropped lines', async () => {
    const failed = Promise.withResolvers<Error>();
    const recovered = Promise.withResolvers<void>();
    const log = new LogFile(join(folder, 'logs/api.log'), {
      maxWaitingBytes: 400,
      retryMillis: 20,
      onFailure: failed.resolve,
      onRecovery: recovered.resolve,
    });
    const lines = ['one', 'two', 'three', 'four'].map((word) => word.padEnd(150, '.'));
    for (const line of lines) log.write(line);
    expect((await failed.promise).message).toContain('ENOENT');
    await mkdir(join(folder, 'logs'));
    await recovered.promise;
    log.write('five');
    await log.close();
    const [first, second, missing, ...rest] = (await readFile(log.path, 'utf8')).split('\n');
    expect([first, second, ...rest]).toEqual([lines[0], lines[1], 'five', '']);
    expect(JSON.parse(missing!)).toMatchObject({
      level: 40,
      lost: 2,
      time: expect.any(String),
      msg: 'lines are missing here, since the log could not be written',
    });
  });

  it('drops the lines that it could not write before it is closed', async () => {
    const log = new LogFile(join(folder, 'logs/api.log'));
    log.write('one');
    await log.close();
    expect(await content()).toEqual({});
  });
});
