import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createPool, createMigratedDatabase, type TestDatabase } from '../../../test/support/index.js';
import { PersonalDataVault } from './personal-data.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

describe('the keys that a process remembers', () => {
  it('are those of all subjects asked for, also of more than it remembers', async () => {
    const vault = new PersonalDataVault(pool, 2);
    const subjects = ['a', 'b', 'c', 'd'].map((name) => `acc_1.${name}`);
    const keys = new Map<string, Buffer>();
    for (const subject of subjects) keys.set(subject, (await vault.getOrCreateKey(subject))!.export());

    const keyOf = await vault.keysForReading(subjects);
    await vault.keysForReading(['acc_1.a', 'acc_1.b']);
    for (const subject of subjects) expect(keyOf(subject)?.export()).toEqual(keys.get(subject));
  });

  it('are forgotten when they are destroyed, by whichever process', async () => {
    const [here, there] = [new PersonalDataVault(pool), new PersonalDataVault(pool)];
    await here.getOrCreateKey('acc_3.x');
    await there.destroyKey('acc_3.x');
    here.dropCachedKey('acc_3.x');
    expect(await here.getOrCreateKey('acc_3.x')).toBeUndefined();
    expect((await here.keysForReading(['acc_3.x']))('acc_3.x')).toBeUndefined();
  });

  // The answer of the query was remembered although the key had been destroyed meanwhile.
  it('are not those that were read before they were destroyed', async () => {
    await new PersonalDataVault(pool).getOrCreateKey('acc_4.x');
    const read = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const slow = {
      async query(...args: [string]) {
        const result = await pool.query(...args);
        read.resolve();
        await answer.promise;
        return result;
      },
    } as unknown as pg.Pool;
    const here = new PersonalDataVault(slow);
    const reading = here.keysForReading(['acc_4.x']);
    await read.promise;
    await new PersonalDataVault(pool).destroyKey('acc_4.x');
    here.dropCachedKey('acc_4.x');
    answer.resolve();
    await reading;
    expect((await here.keysForReading(['acc_4.x']))('acc_4.x')).toBeUndefined();
  });
});
