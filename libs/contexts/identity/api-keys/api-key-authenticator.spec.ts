import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource, Repository } from 'typeorm';
import { createLogger, systemClock } from '#libs/kernel/system';
import type { NotificationListener } from '#libs/kernel/postgres';
import type { ApiKey } from '../entities/api-key.entity.js';
import { generateApiKey } from './api-key-format.js';
import { ApiKeyUseRecorder } from './api-key-use-recorder.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';

const row = { id: 'key_1', workspaceId: 'acc_1', role: 'ingest' } as ApiKey;
const key = generateApiKey();

afterEach(() => {
  jest.restoreAllMocks();
});

/** An ApiKeyAuthenticator whose rows come from the test, one for each query. */
function apiKeysOn(answers: (ApiKey | null | Promise<ApiKey | null>)[]) {
  const findOneBy = jest.fn(() => Promise.resolve(answers.shift() ?? null));
  const update = jest.fn(() => Promise.resolve());
  const usage = new ApiKeyUseRecorder(
    { manager: { update } } as unknown as DataSource,
    createLogger('test', 'silent'),
  );
  const apiKeys = new ApiKeyAuthenticator(
    { findOneBy } as unknown as Repository<ApiKey>,
    usage,
    {} as NotificationListener,
  );
  return { apiKeys, findOneBy, update, usage };
}

describe('checking an API key', () => {
  it('asks the database once, and then remembers', async () => {
    const { apiKeys, findOneBy } = apiKeysOn([row]);
    const principal = { kind: 'api_key', id: 'key_1', workspaceId: 'acc_1', role: 'ingest' };
    await expect(apiKeys.authenticate(key)).resolves.toEqual(principal);
    await expect(apiKeys.authenticate(key)).resolves.toEqual(principal);
    expect(findOneBy).toHaveBeenCalledTimes(1);
  });

  it('does not ask for what cannot be a key', async () => {
    const { apiKeys, findOneBy } = apiKeysOn([row]);
    await expect(apiKeys.authenticate(`${key.slice(0, -1)}!`)).resolves.toBeUndefined();
    await expect(apiKeys.authenticate(key.slice(0, -6) + '000000')).resolves.toBeUndefined();
    expect(findOneBy).not.toHaveBeenCalled();
  });

  it('does not remember that a key is unknown', async () => {
    const { apiKeys } = apiKeysOn([null, row]);
    await expect(apiKeys.authenticate(key)).resolves.toBeUndefined();
    await expect(apiKeys.authenticate(key)).resolves.toMatchObject({ id: 'key_1' });
  });

  it('asks again after a revocation', async () => {
    const { apiKeys } = apiKeysOn([row, null]);
    await apiKeys.authenticate(key);
    apiKeys.clearCache();
    await expect(apiKeys.authenticate(key)).resolves.toBeUndefined();
  });

  it('does not remember a row that was read before a revocation and arrives after it', async () => {
    let release: (found: ApiKey) => void = () => undefined;
    const held = new Promise<ApiKey>((resolve) => (release = resolve));
    const { apiKeys } = apiKeysOn([held, null]);
    const early = apiKeys.authenticate(key);
    apiKeys.clearCache();
    release(row);
    await early;
    await expect(apiKeys.authenticate(key)).resolves.toBeUndefined();
  });

  it('notes the use of a key once a minute', async () => {
    const { apiKeys, update, usage } = apiKeysOn([row]);
    const clock = jest.spyOn(systemClock, 'nowMillis').mockReturnValue(1_000_000);
    for (const millis of [1_000_000, 1_059_999, 1_060_000]) {
      clock.mockReturnValue(millis);
      await apiKeys.authenticate(key);
    }
    await usage.waitUntilWritten();
    const noted = (lastUsedAt: string) => [expect.anything(), { id: 'key_1' }, { lastUsedAt }];
    expect(update.mock.calls).toEqual([noted('1970-01-01T00:16:40.000Z'), noted('1970-01-01T00:17:40.000Z')]);
  });
});
