import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '#libs/kernel/system';
import { parseUntilOption } from '../../apps/cli/ledger/moments.js';
import { replayLedger } from '../../apps/cli/ledger/replay.js';
import {
  advanceClock,
  chargedMetric,
  freezeClock,
  requestsOf,
  settle,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

/** A balance that the API answered. */
interface Asked {
  readonly at: string;
  readonly balance: number;
}

/** The environment of a command that can read the events, and the usage log unless `withUsage` is false. */
function environment(withUsage = true) {
  const events = { EVENTSTORE_URL: system.node.url, DATA_DIR: '/nonexistent' };
  return withUsage ? { ...events, DATABASE_URL: system.database.url } : events;
}

/** The balances that a replay prints, by the customer. Empty if it prints no wallets. */
async function replayed(workspace: TestWorkspace, until?: string, env = environment(), customer?: string) {
  const text = await replayLedger(
    {
      workspace: workspace.workspaceId,
      ...(until === undefined ? {} : { until: parseUntilOption(until) }),
      ...(customer === undefined ? {} : { customer }),
    },
    env,
  );
  const rows = text.matchAll(/^(cust_\S+) +ai-credits +(\S+)$/gm);
  return Object.fromEntries([...rows].map(([, id, credits]) => [id, Number(credits!.replaceAll(',', ''))]));
}

const walletOf = async (workspace: TestWorkspace, more: object = {}) => {
  const requests = requestsOf(() => workspace);
  const charged = await chargedMetric(requests.post)(more);
  const balance = async () => (await requests.get(charged.path)).balance as number;
  return { ...requests, ...charged, balance };
};

describe.each([2020, 2090])('a replay of a sandbox whose clock stands in %s', (year) => {
  let workspace: TestWorkspace;
  let customerId: string;
  const asked: Asked[] = [];
  const day = (monthAndDay: string) => `${year}-${monthAndDay}T00:00:00.000Z`;

  beforeAll(async () => {
    workspace = await system.workspace();
    await freezeClock(workspace, day('01-01'));
    const wallet = await walletOf(workspace, { overage: 'allow' });
    const { path, use, post, create } = wallet;
    ({ customerId } = wallet);
    const ask = async (at: string) => asked.push({ at, balance: await wallet.balance() });
    await create(`${path}/grants`, { amount: 100, expiresAt: day('01-10') });
    const kept = await create(`${path}/grants`, { amount: 60 });
    await create(`${path}/grants`, { amount: 25, effectiveAt: day('01-15') });
    await use(20);
    await ask(day('01-01'));
    await advanceClock(workspace, day('01-05'));
    await use(30);
    await use(10);
    await ask(day('01-05'));
    await advanceClock(workspace, day('01-10'));
    await ask(day('01-10'));
    await use(40);
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await create(`${path}/purchases`, { credits: 1_000 });
    await use(7);
    await ask(day('01-10'));
    await advanceClock(workspace, day('01-16'));
    await ask(day('01-16'));
    await post(`${path}/void`, { amount: 33, reason: 'Too many' });
    await ask(day('01-16'));
    await advanceClock(workspace, day('01-20'));
    await post(`${path}/blocks/${kept.id}/void`, {});
    await use(3_000);
    await ask(day('01-20'));
    await advanceClock(workspace, day('01-25'));
    await create(`${path}/grants`, { amount: 5 });
    // This use is in no event yet when the replay runs first.
    await use(4);
    await ask(day('01-25'));
  });

  it('gives each balance as the API answered it last at that time', async () => {
    expect(asked.map(({ balance }) => balance)).toEqual([150, 130, 60, 1_036.5, 1_061.5, 1_028.5, 0, 3]);
    const last = new Map(asked.map((one) => [one.at, one.balance]));
    expect([...last.values()]).toEqual([150, 130, 1_036.5, 1_028.5, 0, 3]);
    for (const [at, balance] of last)
      expect(await replayed(workspace, at)).toEqual({ [customerId]: balance });
    expect(await replayed(workspace)).toEqual({ [customerId]: 3 });
  });

  it('gives the balances between, at expiries and beginnings of blocks too', async () => {
    for (const [at, balance] of [
      [`${year}-01-04T23:59:59.999Z`, 150],
      [`${year}-01-09T23:59:59.999Z`, 130],
      [`${year}-01-14T23:59:59.999Z`, 1_036.5],
      [day('01-15'), 1_061.5],
      [`${year}-01-24`, 0],
      [`${year}-01-25`, 3],
    ] as const)
      expect([at, await replayed(workspace, at)]).toEqual([at, { [customerId]: balance }]);
    expect(await replayed(workspace, `${year - 1}-12-31T23:59:59.999Z`)).toEqual({});
  });

  it('needs no usage log for what the events have recorded, and says what is missing without', async () => {
    expect(await replayed(workspace, day('01-05'), environment(false))).toEqual({ [customerId]: 130 });
    const text = await replayLedger({ workspace: workspace.workspaceId }, environment(false));
    expect(text).toContain(
      'DATABASE_URL is not set, so usage that no event had recorded by then is not included',
    );
    await settle(workspace);
    expect(await replayed(workspace, undefined, environment(false))).toEqual({ [customerId]: 3 });
    expect(await replayed(workspace, day('01-20'), environment(false))).toEqual({ [customerId]: 0 });
  });

  it('can be limited to one customer', async () => {
    const { id } = await requestsOf(() => workspace).create('/v1/customers', { name: 'Other' });
    const path = `/v1/customers/${id}/wallets/ai-credits`;
    await requestsOf(() => workspace).create(`${path}/grants`, { amount: 9 });
    expect(await replayed(workspace, undefined, undefined, id)).toEqual({ [id]: 9 });
    expect(await replayed(workspace)).toEqual({ [customerId]: 3, [id]: 9 });
  });
});

describe('a replay of a workspace whose clock shows the real time', () => {
  it('has the usage that had arrived, although its event comes later', async () => {
    const workspace = await system.workspace();
    const { path, use, create, get, balance, customerId } = await walletOf(workspace);
    await create(`${path}/grants`, { amount: 1_000 });
    const asked: Asked[] = [];
    const ask = async () => {
      await delay(3);
      asked.push({ balance: await balance(), at: systemClock.now() });
      await delay(3);
    };
    for (let i = 1; i <= 8; i++) {
      await use(i);
      await ask();
    }
    expect(new Set(asked.map((one) => one.balance)).size).toBe(8);
    const compare = async () => {
      for (const one of asked)
        expect({ at: one.at, ...(await replayed(workspace, one.at)) }).toEqual({
          at: one.at,
          [customerId]: one.balance,
        });
    };
    await compare();
    await settle(workspace);
    const { data } = await get(`${path}/ledger?type=drawn_down`);
    // Some balances lie between two events.
    expect(data.length).toBeLessThan(8);
    await compare();
    const [first] = asked;
    expect(await replayed(workspace, first!.at, environment(false))).toEqual({ [customerId]: 1_000 });
  });

  it('has for a position what had arrived when its event was stored', async () => {
    const workspace = await system.workspace();
    const { path, use, create, get, balance, customerId } = await walletOf(workspace);
    await create(`${path}/grants`, { amount: 100 });
    await use(20);
    const before = await balance();
    await delay(3);
    await create('/v1/customers', { name: 'Marker' });
    await delay(3);
    const { position } = await get('/v1/ledger/trial-balance');
    await use(30);
    expect(await replayed(workspace, position)).toEqual({ [customerId]: before });
    await settle(workspace);
    expect(await replayed(workspace, position)).toEqual({ [customerId]: before });
    expect(await replayed(workspace)).toEqual({ [customerId]: 75 });
  });
});

describe('usage just before a clock is set', () => {
  it('has the time at which it came', async () => {
    const workspace = await system.workspace();
    await freezeClock(workspace, '2026-01-02T00:00:00.000Z');
    const { path, use, create, get, customerId } = await walletOf(workspace);
    await create(`${path}/grants`, { amount: 100 });
    await use(20);
    await freezeClock(workspace, '2026-03-01T00:00:00.000Z');
    await settle(workspace);
    const { data } = await get(`${path}/ledger?type=drawn_down`);
    expect(data).toMatchObject([{ createdAt: '2026-01-02T00:00:00.000Z' }]);
    expect(await replayed(workspace, '2026-02-01T00:00:00Z')).toEqual({ [customerId]: 90 });
  });
});
