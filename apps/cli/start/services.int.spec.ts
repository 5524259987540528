import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '#libs/kernel/system';
import { findFreePort } from '../processes/ports.js';
import { requireUsablePorts } from './chosen-ports.js';
import { DataFolder } from './data-folder.js';
import { planServices } from './services.js';

let path: string;
let folder: DataFolder;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'services-'));
  folder = await DataFolder.acquire(path);
});
afterEach(async () => {
  await folder.release();
  await rm(path, { recursive: true, force: true });
});

describe('the ports of an instance', () => {
  // The ports 2, 3 and 4 after the API's were assigned to Postgres and to operators, although the setting gave them to the event store.
  it.each([1, 2, 3, 4, 5, 6])('are all different, with an event store %d after the API', async (distance) => {
    const port = await findFreePort();
    const settings = loadSettings({ PORT: String(port), EVENTSTORE_PORT: String(port + distance) });
    const { addresses: ports, opsUrls: ops } = await planServices(settings, folder);
    const all = [port, ports.postgres, ports.eventStore, ...ops.map(([, url]) => Number(new URL(url).port))];
    expect(ports.eventStore).toBe(port + distance);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(7);
  });

  it.each([
    ['PORT', 'EVENTSTORE_PORT'],
    ['PORT', 'OPS_PORT'],
    ['EVENTSTORE_PORT', 'OPS_PORT'],
  ])('that are chosen cannot be the same: %s and %s', async (one, other) => {
    const port = String(await findFreePort());
    const settings = loadSettings({ PORT: '0', [one]: port, [other]: port });
    await expect(requireUsablePorts(settings, false)).rejects.toThrow(
      `${one} and ${other} are the same port, ${port}; each must have its own`,
    );
  });

  it('may all be free ports', async () => {
    const settings = loadSettings({ PORT: '0', EVENTSTORE_PORT: '0', OPS_PORT: '0' });
    await expect(requireUsablePorts(settings, false)).resolves.toBeUndefined();
  });
});

describe('the ports that are closed to webhooks', () => {
  it.each([
    [{ NATS_URL: 'nats://127.0.0.1:4333' }, 4333],
    [{ MAIL_URL: 'smtp://127.0.0.1:1025', MAIL_FROM: 'a@example.com' }, 1025],
    [{ MAIL_URL: 'smtp://127.0.0.1', MAIL_FROM: 'a@example.com' }, 587],
    [{ MAIL_URL: 'smtps://127.0.0.1', MAIL_FROM: 'a@example.com' }, 465],
  ])('contain the port of the server in %j', async (given, port) => {
    const settings = loadSettings({ PORT: '0', ...given });
    const { apps } = await planServices(settings, folder);
    for (const { env } of apps) expect(env?.['WEBHOOK_CLOSED_PORTS']?.split(',')).toContain(String(port));
  });
});

describe('the key for access tokens', () => {
  const keyOf = async (settings: Record<string, string>): Promise<string | undefined> =>
    (await planServices(loadSettings({ PORT: '0', ...settings }), folder)).apps[0]!.env?.['JWT_SECRET'];

  it('is generated and kept in the data folder only if JWT_SECRET is not set', async () => {
    const given = 'a key of the settings, which is long enough';
    expect(await keyOf({ JWT_SECRET: given })).toBe(given);
    // A backup gets the key of the data folder, and a generated key would not open what this instance stores.
    expect(Object.keys(await DataFolder.secretsOf(path))).toEqual(['postgresPassword']);

    const generated = await keyOf({});
    expect(await DataFolder.secretsOf(path)).toMatchObject({ jwtSecret: generated });
    expect(await keyOf({ JWT_SECRET: given })).toBe(given);
    expect(await keyOf({})).toBe(generated);
  });
});
