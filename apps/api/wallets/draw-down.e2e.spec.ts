import { describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { verifyWallets } from '#apps/cli';
import {
  advanceClock,
  chargedMetric as chargedMetricWith,
  settle,
  withSecondApi,
  workspacePerTest,
} from '../../../test/support/index.js';
import { markWalletChanging } from '#libs/contexts/credits';
import { whileWalletHeld } from '../../../test/support/held-wallet.js';

const { system, workspace, get, post } = workspacePerTest({ now: '2026-01-01T00:00:00Z' });
const chargedMetric = chargedMetricWith(post);

describe('usage', () => {
  it('takes credits in burn order, and the ledger tells from which blocks', async () => {
    const { path, use } = await chargedMetric();
    const late = await post(`${path}/grants`, { amount: 100 }, 201);
    const first = await post(`${path}/grants`, { amount: 10, priority: 0 }, 201);
    expect(await use(30)).toMatchObject({ accepted: [expect.any(String)], rejected: [] });
    expect(await get(path)).toMatchObject({ balance: 95, blocks: [{ id: late.id, remaining: 95 }] });
    await use(0);
    await use(-5);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 95, blocks: [{ id: late.id, remaining: 95 }] });
    const { data } = await get(`${path}/ledger`);
    expect(data[0]).toMatchObject({
      type: 'drawn_down',
      amount: -15,
      balance: 95,
      overage: 0,
      blocks: [
        { blockId: first.id, amount: -10 },
        { blockId: late.id, amount: -5 },
      ],
    });
    expect(data.map(({ type }: { type: string }) => type)).toEqual(['drawn_down', 'granted', 'granted']);
  });

  it('is refused whole if a blocking wallet does not cover it', async () => {
    const { path, use, customerId } = await chargedMetric();
    expect((await use(2)).rejected).toMatchObject([{ code: 'insufficient_credits' }]);
    await post(`${path}/grants`, { amount: 2 }, 201);
    const event = (count: number, idempotencyKey: string) => ({
      customerId,
      eventName: 'tokens',
      properties: { count },
      idempotencyKey,
    });
    const { accepted, rejected } = await post('/v1/events', [
      event(3, 'a'),
      event(2, 'b'),
      event(1, 'c'),
      event(2, 'd'),
    ]);
    expect(accepted).toHaveLength(2);
    expect(rejected).toMatchObject([
      { index: 1, code: 'insufficient_credits', event: { idempotencyKey: 'b' } },
      { index: 3, code: 'insufficient_credits', event: { idempotencyKey: 'd' } },
    ]);
    expect(rejected[0].reason).toBe(
      'The event costs 1 credits of ai-credits, and the customer has 0.5; grant or sell the customer more',
    );
    // A refused event is not stored, so its key can be used again.
    await post(`${path}/grants`, { amount: 1 }, 201);
    expect((await post('/v1/events', event(2, 'b'))).accepted).toHaveLength(1);
    // A repeated event takes nothing again.
    expect((await post('/v1/events', [event(3, 'a'), event(2, 'b')])).accepted).toHaveLength(2);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
  });

  it('continues if the credit type allows overage, and the uncovered part is counted', async () => {
    const { path, use } = await chargedMetric({ overage: 'allow' });
    await use(4);
    await post(`${path}/grants`, { amount: 5 }, 201);
    await use(14);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    await settle(workspace);
    const { data } = await get(`${path}/ledger?type=drawn_down`);
    const sum = (field: string) =>
      data.reduce((total: number, entry: Record<string, number>) => total + entry[field]!, 0);
    expect([sum('amount'), sum('overage')]).toEqual([-5, 4]);
  });

  it('is charged by the rate at its own time, and by the group of its properties', async () => {
    const { metricId, path, use } = await chargedMetric(
      {},
      { groups: [{ when: { model: 'large' }, creditsPerUnit: 2 }] },
    );
    await post(
      '/v1/credit-types/ai-credits/rates',
      { metricId, creditsPerUnit: 1, effectiveAt: '2026-01-02T00:00:00Z' },
      201,
    );
    await post(`${path}/grants`, { amount: 100 }, 201);
    await use(1, { properties: { count: 1, model: 'large' } });
    await use(1, { properties: { count: 1, model: 'small' } });
    expect(await get(path)).toMatchObject({ balance: 97.5 });
    await advanceClock(workspace, '2026-01-03T00:00:00Z');
    await use(1, { timestamp: '2026-01-01T23:59:59.999999Z' });
    expect(await get(path)).toMatchObject({ balance: 97 });
    await use(1, { timestamp: '2026-01-02T00:00:00Z' });
    // Usage from before the first rate costs nothing.
    await post('/v1/events/backfill', {
      customerId: path.split('/')[3],
      eventName: 'tokens',
      properties: { count: 1 },
      timestamp: '2025-12-31T23:59:59Z',
    });
    expect(await get(path)).toMatchObject({ balance: 96 });
  });

  it('takes credits before they expire, and the expiry ends only the rest', async () => {
    const { path, use } = await chargedMetric();
    await post(`${path}/grants`, { amount: 10, expiresAt: '2026-01-10T00:00:00Z' }, 201);
    await post(`${path}/grants`, { amount: 10 }, 201);
    await use(8);
    await advanceClock(workspace, '2026-01-10T00:00:00Z');
    expect(await get(path)).toMatchObject({ balance: 10 });
    await use(8);
    expect(await get(path)).toMatchObject({ balance: 6 });
    await settle(workspace);
    const { data } = await get(`${path}/ledger`);
    expect(data.map(({ type, amount }: { type: string; amount: number }) => [type, amount])).toEqual([
      ['drawn_down', -4],
      ['expired', -6],
      ['drawn_down', -4],
      ['granted', 10],
      ['granted', 10],
    ]);
  });

  it('can be asked about before it happens', async () => {
    const { path, use, customerId } = await chargedMetric();
    await post(`${path}/grants`, { amount: 10 }, 201);
    const check = (query: string, status = 200) =>
      get(`/v1/wallets/check?customerId=${customerId}${query}`, status);
    expect(await check('&eventName=tokens&quantity=20')).toEqual({
      customerId,
      creditType: 'ai-credits',
      allowed: true,
      covered: true,
      overage: 'block',
      balance: 10,
      required: 10,
    });
    await use(1);
    expect(await check('&quantity=20')).toMatchObject({ allowed: false, balance: 9.5, required: 10 });
    expect(await check('&amount=9.5&quantity=999')).toMatchObject({ allowed: true, required: 9.5 });
    expect(await check('')).toMatchObject({ allowed: true, required: null });
    await use(19);
    expect(await check('')).toMatchObject({ allowed: false, covered: false, balance: 0 });
    for (const [query, field] of [
      ['&quantity=-1', 'quantity'],
      ['&amount=many', 'amount'],
      ['&eventName=other&quantity=1', 'eventName'],
    ])
      expect(await check(query!, 400)).toMatchObject({ details: [{ field }] });
    expect(await get('/v1/wallets/check?customerId=cust_none', 404)).toMatchObject({
      code: 'customer_not_found',
    });
    expect(await check('&creditType=none', 404)).toMatchObject({ code: 'credit_type_not_found' });
  });

  it('by 64 clients at once, at two processes that remember the wallet, is accepted as far as the balance reaches', async () => {
    const { path, customerId } = await chargedMetric();
    await post(`${path}/grants`, { amount: 11 }, 201);
    const event = { customerId, eventName: 'tokens', properties: { count: 1 } };
    await withSecondApi(system, workspace, async (second) => {
      const clients = [workspace.http, second];
      for (const client of clients) await client.post('/v1/events', event).expect(200);
      // The first process forgets what the second one has outdated, by a decision that it must not rely on.
      await workspace.http.post('/v1/events', { ...event, properties: { count: 100 } }).expect(200);
      const answers = await whileWalletHeld(system, workspace, path, async (held) => {
        const sent = Array.from({ length: 64 }, async (_, i) => clients[i % 2]!.post('/v1/events', event));
        // Each process has decided on some events by what it remembers, and waits for the wallet.
        await held.untilWaiting(2);
        return sent;
      });
      const bodies = answers.map(({ body }) => body as { accepted: string[]; rejected: object[] });
      expect(bodies.filter(({ accepted }) => accepted.length === 1)).toHaveLength(20);
      expect(bodies.flatMap(({ rejected }) => rejected)).toEqual(
        Array.from({ length: 44 }, () => expect.objectContaining({ code: 'insufficient_credits' })),
      );
      expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
      // What a process remembers of an empty wallet does not refuse usage that a grant covers.
      await second.post(`${path}/grants`, { amount: 0.5 }).expect(201);
      expect((await post('/v1/events', event)).accepted).toHaveLength(1);
    });
    await settle(workspace);
    const { data } = await get(`${path}/ledger?limit=100`);
    expect(data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(0);
    const env = {
      DATABASE_URL: system.database.url,
      EVENTSTORE_URL: system.node.url,
      DATABASE_POOL_SIZE: '4',
    };
    const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
    expect(await verifyWallets({}, env, quiet)).toMatchObject({ mismatches: [] });
  });

  it('that a repeated key hides from the wallet takes nothing, though the wallet does not cover it', async () => {
    const { path, customerId } = await chargedMetric();
    await post(`${path}/grants`, { amount: 1 }, 201);
    const event = { customerId, eventName: 'tokens', properties: { count: 2 }, idempotencyKey: 'once' };
    const [first] = (await post('/v1/events', event)).accepted;
    expect(await post('/v1/events', event)).toMatchObject({ accepted: [first], rejected: [] });
    const other = { ...event, idempotencyKey: 'other' };
    expect((await post('/v1/events', [other, event])).rejected).toMatchObject([{ index: 0 }]);
  });

  it('that was sent before its credits expire is stored before the expiry, which ends only the rest', async () => {
    const { path, use } = await chargedMetric();
    await post(`${path}/grants`, { amount: 10, expiresAt: '2026-01-10T00:00:00Z' }, 201);
    const [used] = await whileWalletHeld(system, workspace, path, async (held) => {
      const using = use(8);
      await held.untilWaiting(1);
      const expiring: Promise<unknown> = advanceClock(workspace, '2026-01-10T00:00:00Z');
      await held.untilWaiting(2);
      return [using, expiring];
    });
    expect(used).toMatchObject({ accepted: [expect.any(String)] });
    expect((await use(1)).rejected).toMatchObject([{ code: 'insufficient_credits' }]);
    await settle(workspace);
    const { data } = await get(`${path}/ledger`);
    expect(data.map(({ type, amount }: { type: string; amount: number }) => [type, amount])).toEqual([
      ['expired', -6],
      ['drawn_down', -4],
      ['granted', 10],
    ]);
  });

  it('of other customers is stored while a command changes the wallet of one', async () => {
    const { path, customerId, use } = await chargedMetric();
    await post(`${path}/grants`, { amount: 10 }, 201);
    const others = await Promise.all(
      Array.from({ length: 6 }, async (): Promise<string> => {
        const { id } = await post('/v1/customers', { name: 'Contoso' }, 201);
        await post(`/v1/customers/${id}/wallets/ai-credits/grants`, { amount: 10 }, 201);
        return id;
      }),
    );
    const pool = system.api.get(Pool, { strict: false });
    await markWalletChanging(pool, {
      workspaceId: workspace.workspaceId,
      customerId,
      creditType: 'ai-credits',
    });
    const [used] = await whileWalletHeld(system, workspace, path, async (held) => {
      const using = use(2);
      await held.untilWaiting(1);
      for (const other of others)
        expect(await use(2, { customerId: other })).toMatchObject({ accepted: [expect.any(String)] });
      return [using];
    });
    expect(used).toMatchObject({ accepted: [expect.any(String)] });
    expect(await get(path)).toMatchObject({ balance: 9 });
  });

  it('and voids at the same moment take together no more than there is', async () => {
    const { path, customerId } = await chargedMetric();
    await post(`${path}/grants`, { amount: 20 }, 201);
    const event = { customerId, eventName: 'tokens', properties: { count: 2 } };
    const [used, voided] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => post('/v1/events', event))),
      Promise.all(Array.from({ length: 20 }, () => workspace.http.post(`${path}/void`, { amount: 1 }))),
    ]);
    const accepted = used.filter((answer) => answer.accepted.length === 1).length;
    expect(accepted + voided.filter(({ status }) => status === 200).length).toBe(20);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    const { data } = await get(`${path}/ledger?limit=100`);
    expect(data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(0);
  });
});
