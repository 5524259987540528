import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { postgresUrl } from '../embedded-postgres/index.js';
import { DataFolder } from './data-folder.js';
import {
  findApiUrl,
  removeInstanceAddresses,
  writeInstanceAddresses,
  readSettingsWithServerUrls,
} from './running-instance.js';

const api = 'http://127.0.0.1:4100';
let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'instance-')), 'data');
});
afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

describe('findApiUrl', () => {
  it('finds the API of the instance that runs in the data folder, whatever port it has', async () => {
    await DataFolder.acquire(path);
    await writeInstanceAddresses(path, { api, postgres: 3002, eventStore: 3001 });
    expect(await findApiUrl({ DATA_DIR: path })).toBe(api);
    expect(await findApiUrl({ DATA_DIR: path, PORT: '0' })).toBe(api);
  });

  it('uses the port of the setting, or else the default port if no instance runs', async () => {
    const folder = await DataFolder.acquire(path);
    await writeInstanceAddresses(path, { api, postgres: 3002, eventStore: 3001 });
    expect(await findApiUrl({ DATA_DIR: path, PORT: '4200' })).toBe('http://127.0.0.1:4200');
    expect(await findApiUrl({ PORT: '4200', HOST: '::' })).toBe('http://localhost:4200');
    await folder.release();
    expect(await findApiUrl({ DATA_DIR: path })).toBe('http://127.0.0.1:3000');
    await expect(findApiUrl({ DATA_DIR: path, PORT: '0' })).rejects.toThrow(
      `No Countinghouse runs in ${path}; start it there`,
    );
  });
});

describe('readSettingsWithServerUrls', () => {
  it('names the file if it does not contain the ports of the servers', async () => {
    await DataFolder.acquire(path);
    for (const text of ['{"api":', '"3000"', '{"postgres":"3002"}', '']) {
      await writeFile(join(path, 'ports.json'), text);
      await expect(readSettingsWithServerUrls({ DATA_DIR: path })).rejects.toThrow(
        `${join(path, 'ports.json')} does not say where the instance's servers are; start the instance again`,
      );
    }
  });

  it('finds the embedded servers of the instance that runs in the data folder', async () => {
    const folder = await DataFolder.acquire(path);
    const { postgresPassword } = await folder.getOrCreateSecrets();
    await writeInstanceAddresses(path, { api, postgres: 3002, eventStore: 3001 });
    expect(await readSettingsWithServerUrls({ DATA_DIR: path })).toMatchObject({
      databaseUrl: postgresUrl({ port: 3002, password: postgresPassword }),
      eventStoreUrl: 'esdb://127.0.0.1:3001?tls=false',
    });
  });

  it('prefers the servers of the settings to the embedded ones', async () => {
    await DataFolder.acquire(path);
    await writeInstanceAddresses(path, { api, postgres: undefined, eventStore: 3001 });
    const databaseUrl = 'postgres://me@db.example/books';
    expect(await readSettingsWithServerUrls({ DATA_DIR: path, DATABASE_URL: databaseUrl })).toMatchObject({
      databaseUrl,
      eventStoreUrl: 'esdb://127.0.0.1:3001?tls=false',
    });
    await expect(readSettingsWithServerUrls({ DATA_DIR: path })).rejects.toThrow(/or set DATABASE_URL$/);
    const eventStoreUrl = 'esdb://store.example:2113';
    expect(
      await readSettingsWithServerUrls({
        DATA_DIR: path,
        DATABASE_URL: databaseUrl,
        EVENTSTORE_URL: eventStoreUrl,
      }),
    ).toMatchObject({ databaseUrl, eventStoreUrl });
  });

  it('says what to do if no instance runs there', async () => {
    const nothing = `No Countinghouse with embedded servers runs in ${path}; start it there`;
    await expect(readSettingsWithServerUrls({ DATA_DIR: path })).rejects.toThrow(nothing);
    const folder = await DataFolder.acquire(path);
    await folder.getOrCreateSecrets();
    await writeInstanceAddresses(path, { api, postgres: 3002, eventStore: 3001 });
    // This is the state after a killed supervisor: the ports stay, but no process has the lock.
    await folder.release();
    await expect(readSettingsWithServerUrls({ DATA_DIR: path })).rejects.toThrow(nothing);
    await DataFolder.acquire(path);
    await removeInstanceAddresses(path);
    await expect(readSettingsWithServerUrls({ DATA_DIR: path })).rejects.toThrow(
      /or set DATABASE_URL and EVENTSTORE_URL$/,
    );
  });
});
