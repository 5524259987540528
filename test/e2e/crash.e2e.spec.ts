import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#apps/cli';
import { countinghouse, endCommands, type CommandRun } from '../support/command.js';
import { PersistentClient } from '../support/persistent-client.js';
import { descendantsOf } from '../support/processes.js';
import { Receiver } from '../support/receiver.js';

/*
 * The processes of a running instance are killed with SIGKILL in the middle of the flow, one after the other. Their
 * supervisor starts them again, clients repeat what was not answered, and in the end everything that was
 * acknowledged is there, once.
 */

const VICTIMS = ['api', 'projector', 'saga', 'eventstore'] as const;
type Victim = (typeof VICTIMS)[number];

let folder: string;
let instance: CommandRun;
let url: string;
let client: PersistentClient;
let receiver: Receiver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crash-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  instance = countinghouse(['start', '--no-demo'], {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    RATE_LIMIT_PER_SECOND: '100000',
    READ_YOUR_WRITES_MS: '10000',
  });
  await instance.prints('Stop with Ctrl-C');
  receiver = await Receiver.start();
  const send = async (path: string, body: object, credential?: string) =>
    (await (
      await fetch(url + path, {
        method: path.endsWith('clock') ? 'PUT' : 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(credential ? { authorization: `Bearer ${credential}` } : {}),
        },
      })
    ).json()) as Record<string, unknown>;
  const { tokens } = (await send('/v1/auth/register', {
    email: 'crash@example.com',
    password: 'a long enough password',
    name: 'Crash',
  })) as { tokens: { accessToken: string } };
  const { key } = await send('/v1/api-keys', { name: 'crash', role: 'admin' }, tokens.accessToken);
  await send('/v1/webhooks', { url: receiver.url, events: ['invoice.paid'] }, tokens.accessToken);
  await send('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }, key as string);
  client = new PersistentClient(url, key as string);
});
afterAll(async () => {
  await endCommands();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
});

async function kill(victim: Victim): Promise<void> {
  const processes = await descendantsOf(instance.child.pid!);
  const found = processes.find(({ commandLine }) => commandLine.includes(`dist/apps/${victim}/main.js`));
  if (!found) throw new Error(`No process of ${victim}`);
  process.kill(found.pid, 'SIGKILL');
}

async function ids(path: string): Promise<string[]> {
  const { data } = await client.get<{ data: { id: string }[] }>(`${path}?limit=1000`);
  return data.map(({ id }) => id);
}

const countUsage = async (): Promise<number> => {
  const answer = await client.post(
    '/v1/events/query',
    {
      eventName: 'call',
      startTime: '2025-12-31T00:00:00Z',
      endTime: '2026-01-02T00:00:00Z',
      aggregation: { type: 'count' },
    },
    `count-${performance.now()}`,
  );
  return (answer.body as { data: { value: number }[] }).data.reduce((sum, { value }) => sum + value, 0);
};

describe.each(VICTIMS)('when the %s is killed under load', (victim) => {
  it('loses nothing that was acknowledged and does nothing twice', async () => {
    const meter = `meter-${victim}`;
    await client.post('/v1/customers', { id: meter, name: meter }, `meter-${victim}`);
    const [customersBefore, usageBefore] = [await ids('/v1/customers'), await countUsage()];
    const before = client.journal.length;
    const writes = Array.from({ length: 60 }, (_, n) => `${victim}-${n}`);
    const usage = Array.from({ length: 60 }, (_, n) => `usage-${victim}-${n}`);
    const load = Promise.all([
      inTurn(writes, 6, (id) => client.post('/v1/customers', { id, name: id }, `create-${id}`)),
      inTurn(usage, 6, (key) =>
        client.post(
          '/v1/events',
          { customerId: meter, eventName: 'call', idempotencyKey: key },
          `send-${key}`,
        ),
      ),
    ]);
    await client.answered(before + 20);
    await kill(victim);
    const [created, sent] = await load;
    expect(created.map(({ status }) => status)).toEqual(writes.map(() => 201));
    expect(sent.flatMap(({ body }) => (body as { accepted: string[] }).accepted)).toHaveLength(usage.length);
    // A key that is sent once more is known, whoever was killed meanwhile.
    const again = await client.post('/v1/customers', { id: `${victim}-0`, name: 'x' }, `create-${victim}-0`);
    expect(again).toMatchObject({ status: 201, replayed: true, body: { name: `${victim}-0` } });
    expect((await ids('/v1/customers')).sort()).toEqual([...customersBefore, ...writes].sort());
    expect(await countUsage()).toBe(usageBefore + usage.length);
  });
});

describe('when processes are killed while a month is billed', () => {
  const SUBSCRIBERS = 12;

  it('bills and charges every subscription once for each period, and every webhook arrives', async () => {
    const create = async (path: string, body: object, key: string): Promise<string> =>
      ((await client.post(path, body, key)).body as { id: string }).id;
    const priceId = await create(
      '/v1/prices',
      { name: 'Fee', timing: 'in_advance', config: { model: 'flat', amount: 10, currency: 'USD' } },
      'price',
    );
    const planId = await create('/v1/plans', { name: 'Pro', prices: [priceId] }, 'plan');
    const subscribers = Array.from({ length: SUBSCRIBERS }, (_, n) => `subscriber-${n}`);
    await inTurn(subscribers, 4, async (id) => {
      await client.post('/v1/customers', { id, name: id }, `customer-${id}`);
      await client.post(
        `/v1/customers/${id}/payment-methods`,
        { type: 'test', test: 'pm_card_visa' },
        `card-${id}`,
      );
      await client.post('/v1/subscriptions', { customerId: id, planId }, `subscription-${id}`);
    });
    const advance = async (to: string, victim: Victim): Promise<void> => {
      const done = client.post('/v1/sandbox/clock/advance', { to }, `advance-${to}`);
      // In the middle: some of the invoices are there, and more are to come.
      const paid = receiver.received.length;
      await Promise.race([receiver.arrived(paid + 2), done]);
      await kill(victim);
      expect(await done).toMatchObject({ status: 200, body: { now: new Date(to).toISOString() } });
    };
    await advance('2026-02-01T00:00:00Z', 'saga');
    await advance('2026-03-01T00:00:00Z', 'eventstore');
    await advance('2026-04-01T00:00:00Z', 'api');
    await advance('2026-05-01T00:00:00Z', 'projector');

    const periods = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'];
    const { data: invoices, pagination } = await client.get<{
      data: {
        id: string;
        customerId: string;
        status: string;
        total: number;
        lines: { periodStart: string }[];
      }[];
      pagination: { total: number };
    }>('/v1/invoices?page_size=100');
    expect(pagination.total).toBe(SUBSCRIBERS * periods.length);
    expect(
      invoices.map(({ customerId, lines }) => `${customerId} ${lines[0]!.periodStart.slice(0, 10)}`).sort(),
    ).toEqual(subscribers.flatMap((id) => periods.map((period) => `${id} ${period}`)).sort());
    expect(new Set(invoices.map(({ status, total }) => `${status} ${total}`))).toEqual(new Set(['paid 10']));
    await inTurn(invoices, 8, async ({ id }) => {
      const { data } = await client.get<{ data: { status: string }[] }>(
        `/v1/invoices/${id}/payment-attempts`,
      );
      expect([id, data.map(({ status }) => status)]).toEqual([id, ['succeeded']]);
    });
    const delivered = (): Set<string> =>
      new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id));
    while (delivered().size < invoices.length) await receiver.arrived(receiver.received.length + 1);
    expect([...delivered()].sort()).toEqual(invoices.map(({ id }) => id).sort());
  });
});

/** Does `work` for every item, `width` at a time, and answers in the order of the items. */
async function inTurn<T, R>(items: T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < items.length) {
        const index = next++;
        results[index] = await work(items[index]!);
      }
    }),
  );
  return results;
}
