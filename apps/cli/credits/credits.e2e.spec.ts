import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { chargedMetric, settle, workspacePerTest } from '../../../test/support/index.js';
import { withWalletSources } from './wallet-sources.js';
import {
  describeWalletsRebuild,
  describeWalletsVerification,
  rebuildWallets,
  verifyWallets,
} from './wallets.js';

const { system, workspace, get, post } = workspacePerTest({ now: '2026-01-01T00:00:00Z' });
const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
const env = () => ({ DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url });
const verify = async () => {
  const { mismatches } = await verifyWallets({ workspace: workspace.workspaceId }, env(), quiet);
  return mismatches.flatMap(({ differences }) => differences);
};
const rebuild = () => rebuildWallets({ workspace: workspace.workspaceId }, env(), quiet);

/** Runs a statement as the owner of the database. */
async function damage(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: system.database.url });
  await client.connect();
  try {
    await client.query(sql, [workspace.workspaceId]);
  } finally {
    await client.end();
  }
}

/** A wallet whose usage is partly recorded, with overage. */
async function usedWallet() {
  const charged = await chargedMetric(post)({ overage: 'allow' });
  await post(`${charged.path}/grants`, { amount: 10 }, 201);
  await charged.use(30);
  await settle(workspace);
  await post(`${charged.path}/grants`, { amount: 10, idempotencyKey: 'second', description: 'A note' }, 201);
  await charged.use(4);
  return charged;
}

it('reads personal data while work holds all connections of the command', async () => {
  const { id } = await post('/v1/customers', { name: 'Ada' }, 201);
  const events = await withWalletSources(env(), 'verify', async ({ pool, streams }) => {
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    try {
      return await streams.read(`customer-${workspace.workspaceId}.${id}`);
    } finally {
      for (const connection of held) connection.release();
    }
  });
  expect(events[0]!.data).toMatchObject({ name: 'Ada' });
});

describe('countinghouse credits', () => {
  it('verify finds each damaged part of a wallet, and rebuild mends it', async () => {
    const { path, metricId } = await usedWallet();
    const before = await get(path);
    expect(before).toMatchObject({ balance: 8 });
    expect(await verify()).toEqual([]);

    const wallet = 'WHERE workspace_id = $1';
    await damage(
      `UPDATE credits.wallets SET state = jsonb_set(state, '{blocks,0,remaining}', '"9"') ${wallet}`,
    );
    // The last usage took 2, and is recorded before the damage, or after the verification, or in between.
    expect(await verify()).toEqual([
      expect.stringMatching(
        /^the blocks with credits left are blk_\w+ (9, and by the stream they are blk_\w+ (10|8)|7, and by the stream they are blk_\w+ 8)$/,
      ),
    ]);
    await rebuild();
    await damage(`UPDATE credits.wallets SET state = jsonb_set(state, '{overage}', '[]') ${wallet}`);
    expect(await verify()).toEqual([
      `overage is [], and by the stream it is [{"metricId":"${metricId}","amount":"5"}]`,
    ]);
    await rebuild();
    expect(await verify()).toEqual([]);

    await settle(workspace);
    await damage(
      `UPDATE credits.wallets SET unsettled = '[{"metricId": "${metricId}", "blockId": null, "amount": "3"}]' ${wallet}`,
    );
    expect(await verify()).toEqual([`not recorded yet: ${metricId} of no block: 3, and the usage log has 0`]);
    await damage(`DELETE FROM credits.wallets ${wallet}`);
    await damage(`DELETE FROM credits.commands ${wallet}`);
    expect(await verify()).toEqual(['the wallet has a stream, but no row in credits.wallets']);
    expect(describeWalletsRebuild(await rebuild())).toMatch(/^1 wallet rebuilt in \d+ s\n$/);
    expect(await verify()).toEqual([]);
    expect(await get(path)).toEqual(before);
    // The command ids are there again, too.
    expect(await post(`${path}/grants`, { amount: 99, idempotencyKey: 'second' }, 201)).toMatchObject({
      amount: 10,
    });
  });

  it('verify finds charges of the usage log that no event records', async () => {
    const { metricId } = await usedWallet();
    await settle(workspace);
    await damage(
      `UPDATE usage.events SET charges = jsonb_set(charges, '{0,3}', '"7"') WHERE series_id IN (
         SELECT s.id FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id WHERE t.workspace_id = $1
       ) AND charges -> 1 IS NOT NULL`,
    );
    const result = await verifyWallets({ workspace: workspace.workspaceId }, env(), quiet);
    expect(describeWalletsVerification(result)).toMatch(
      new RegExp(
        `^ai-credits of cust_\\w+ in ${workspace.workspaceId}: used up to position \\d+ of the usage log: ` +
          `${metricId} of blk_\\w+: 10, and the usage log has 7\n1 wallet compared in \\d+ s: differences in 1 wallet\n$`,
      ),
    );
  });

  it('rebuild and verify run while usage and voids arrive', async () => {
    const { path, use } = await usedWallet();
    let isDone = false;
    const traffic = (async () => {
      let sent = 0;
      while (!isDone) {
        await Promise.all([use(1), use(1), post(`${path}/grants`, { amount: 1 }, 201)]);
        sent++;
      }
      return sent;
    })();
    try {
      for (let i = 0; i < 5; i++) {
        await rebuild();
        expect(await verify()).toEqual([]);
      }
    } finally {
      isDone = true;
    }
    const sent = await traffic;
    expect(await get(path)).toMatchObject({ balance: 8 });
    expect(sent).toBeGreaterThan(0);
    await settle(workspace);
    expect(await verify()).toEqual([]);
  });

  it('refuses a workspace without wallets', async () => {
    await expect(verifyWallets({ workspace: 'acc_none' }, env(), quiet)).rejects.toThrow(
      'The workspace "acc_none" has no wallets; check --workspace',
    );
  });
});
