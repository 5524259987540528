import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { Decimal } from '#libs/kernel/core';
import type { ClaimingRow, CachedClaims } from '#libs/usage';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../../test/support/index.js';
import type { UsageDraw } from '../wallets/events.js';
import {
  markWalletChanging,
  freezeUnsettledDraws,
  readRows,
  saveUnsettledDraws,
  type WalletRowKey,
} from '../wallets/wallet-rows.js';
import { initialState, walletId, type WalletBlock } from '../wallets/wallet.js';
import type { CreditClaim } from './credit-costs.js';
import { RememberedWallets } from './remembered-wallets.js';

const NOW = '2026-01-01T00:00:00.000Z';
const CHANGED = { code: 'CG002' };

let database: TestDatabase;
let pool: Pool;
let count = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 2);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A wallet with one block of 10 credits, and functions that use it as one process does. */
async function walletWithTen() {
  const key: WalletRowKey = { workspaceId: `acc_${++count}`, customerId: 'cust', creditType: 'ai' };
  const block = {
    blockId: 'blk',
    amount: '10',
    remaining: '10',
    priority: 10,
    costBasis: '0',
    createdAt: NOW,
  };
  const state = {
    ...initialState(key),
    blocks: [{ ...block, effectiveAt: NOW, expiresAt: null } as unknown as WalletBlock],
  };
  const insert = async () =>
    pool.query(
      'INSERT INTO credits.wallets (workspace_id, customer_id, credit_type, state) VALUES ($1, $2, $3, $4)',
      [key.workspaceId, key.customerId, key.creditType, JSON.stringify(state)],
    );
  await insert();
  return { key, insert, ...processOn(key) };
}

function processOn(key: WalletRowKey) {
  const wallets = new RememberedWallets(pool);
  const wanted = new Map([[walletId(key.workspaceId, key), { ...key, needsRow: false }]]);
  const claim = (credits: number): ClaimingRow =>
    ({
      ...key,
      now: NOW,
      claims: [
        { ...key, metricId: 'met', credits: new Decimal(credits), overage: 'block' } satisfies CreditClaim,
      ],
    }) as unknown as ClaimingRow;
  const cachedClaims = async () => wallets.readCachedClaims(wanted);
  return {
    cachedClaims,
    /** Decides on one event. Returns the refusal, or the charges, and what writes them. */
    async decide(credits: number) {
      const claims = (await cachedClaims()) as CachedClaims;
      const event = claim(credits);
      const refusal = claims.check(event);
      if (!refusal) claims.take(event);
      const { name, values } = claims.createWriteCall();
      const write = async (): Promise<void> => {
        const parameters = values.map((_, i) => `$${i + 1}`).join();
        try {
          const { rows } = await pool.query(`SELECT ${name}(${parameters}) AS answer`, [...values]);
          claims.onStored(rows[0].answer);
        } catch (error) {
          claims.onFailed();
          throw error;
        }
      };
      return { refusal, write };
    },
  };
}

async function draw(process: ReturnType<typeof processOn>, credits: number): Promise<void> {
  const { refusal, write } = await process.decide(credits);
  expect(refusal).toBeUndefined();
  await write();
}

const drawn = (amount: string): UsageDraw => ({ metricId: 'met', blockId: 'blk', amount });

describe('what a process remembers of a wallet', () => {
  it('is enough to draw on it again, and its draws are summed', async () => {
    const { key, ...wallet } = await walletWithTen();
    await draw(wallet, 2);
    await draw(wallet, 3);
    expect(await readRows(pool, [key])).toMatchObject([{ unsettled: [drawn('5')] }]);
    expect((await wallet.decide(6)).refusal).toMatchObject({ code: 'insufficient_credits' });
  });

  it('stays current when draws are frozen, whether before or after its decision', async () => {
    const { key, ...wallet } = await walletWithTen();
    const freeze = () =>
      freezeUnsettledDraws(pool, { minAgeMillis: 0, limit: 10, workspaceId: key.workspaceId });
    await draw(wallet, 2);
    const { write } = await wallet.decide(3);
    await freeze();
    await write();
    expect(await readRows(pool, [key])).toMatchObject([{ settling: [drawn('2')], unsettled: [drawn('3')] }]);
    await draw(wallet, 1);
    expect(await readRows(pool, [key])).toMatchObject([{ settling: [drawn('2')], unsettled: [drawn('4')] }]);
    expect((await wallet.decide(5)).refusal).toMatchObject({ reason: expect.stringContaining('has 4;') });
  });

  it('is outdated when another process has drawn on the wallet, and is read again', async () => {
    const { key, ...wallet } = await walletWithTen();
    await draw(wallet, 2);
    const refused = await wallet.decide(9);
    const other = processOn(key);
    const { write } = await wallet.decide(3);
    await draw(other, 1);
    await expect(write()).rejects.toMatchObject(CHANGED);
    // What it refuses is compared too: the wallet could have got credits.
    await expect(refused.write()).rejects.toMatchObject(CHANGED);
    await draw(wallet, 3);
    expect(await readRows(pool, [key])).toMatchObject([{ unsettled: [drawn('6')] }]);
  });

  it('is outdated when a command changes the wallet, or when a group that locks it has drawn', async () => {
    const { key, ...wallet } = await walletWithTen();
    await draw(wallet, 1);
    await saveUnsettledDraws(pool, [[key, [drawn('2')]]]);
    await expect(draw(wallet, 1)).rejects.toMatchObject(CHANGED);
    const { write } = await wallet.decide(1);
    await markWalletChanging(pool, key);
    await expect(write()).rejects.toMatchObject(CHANGED);
    // While the change lasts, nothing is decided by memory.
    expect(await wallet.cachedClaims()).toBeUndefined();
  });

  it('is outdated when the row is made anew, or when there is one at last', async () => {
    const { key, insert, ...wallet } = await walletWithTen();
    await draw(wallet, 1);
    await pool.query('DELETE FROM credits.wallets WHERE workspace_id = $1', [key.workspaceId]);
    const withoutRow = processOn(key);
    const { refusal, write } = await withoutRow.decide(1);
    expect(refusal).toMatchObject({ reason: expect.stringContaining('has 0;') });
    await write();
    await insert();
    await expect(draw(wallet, 1)).rejects.toMatchObject(CHANGED);
    await expect((await withoutRow.decide(1)).write()).rejects.toMatchObject(CHANGED);
    await draw(withoutRow, 1);
  });
});
