import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import { Unavailable } from '#libs/kernel/core';
import { createLogger } from '#libs/kernel/system';
import { NatsClient } from '#libs/kernel/nats';
import { Gate } from '../../../test/support/gate.js';
import { describeWith } from '../../../test/support/installed.js';
import { NatsServer } from '../../../test/support/nats-server.js';
import { startUsage, usageProcess, type UsageProcess } from '../../../test/support/usage.js';
import { RejectionPublisher } from './rejection-publisher.js';
import { UsageConsumer } from './usage-consumer.js';
import { UsageMessageIngest } from './usage-message-ingest.js';
import type { UsageMessage } from './usage-message.js';
import { REJECTED_STREAM, USAGE_CONSUMER, USAGE_STREAM } from './usage-streams.js';

const NOW = '2026-03-10T12:00:00.000Z';
/** Reconnects immediately, because the tests wait for it. */
const RECONNECT = { reconnectTimeWait: 100, maxReconnectAttempts: -1 };
/** It ends what hangs. */
const TIMEOUT_MILLIS = 120_000;
const logger = createLogger('test', 'silent');

describeWith('nats-server', 'usage from JetStream', () => {
  let server: NatsServer;
  let connection: NatsConnection;
  let js: JetStreamClient;
  let manager: JetStreamManager;
  let world: Awaited<ReturnType<typeof startUsage>>;
  let workspaceId: string;
  let started: { stop(): Promise<void> }[];

  beforeAll(async () => {
    [server, world] = await Promise.all([NatsServer.start(), startUsage()]);
    connection = await connect({ servers: server.url, ...RECONNECT });
    js = jetstream(connection, { timeout: TIMEOUT_MILLIS });
    manager = await jetstreamManager(connection, { timeout: TIMEOUT_MILLIS });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.remove();
    await world?.stop();
  });
  beforeEach(async () => {
    workspaceId = await world.workspace(NOW);
    started = [];
    for (const { config } of await manager.streams.list().next()) await manager.streams.delete(config.name);
    await manager.streams.add(USAGE_STREAM);
  });

  afterEach(async () => {
    for (const { stop } of started) await stop();
  });

  it('is in the log with every digit before its message is acknowledged, and counts once with the same key', async () => {
    await start();
    await send(
      '{"customerId":"cust_a","eventName":"call","idempotencyKey":"k","properties":{"n":0.12345678901234567890}}',
    );
    await drained();
    await send([event({ idempotencyKey: 'k' }), event()]);
    await drained();
    expect(await logged()).toEqual([
      { key: 'k', source: 'nats', n: '0.12345678901234567890' },
      { key: expect.stringMatching(/^nats:2:\d{19}:1$/), source: 'nats', n: null },
    ]);
  });

  it('is rejected with the reason, event by event, while valid events of the same message are ingested', async () => {
    await start();
    await send([event({ idempotencyKey: 'good' }), event({ customerId: 'nobody', properties: { n: 1 } })]);
    await send('{"oh": ');
    await send([event()], 'acc_unknown');
    await drained();
    expect(await logged()).toMatchObject([{ key: 'good' }]);
    const rejected = await js.consumers.get(REJECTED_STREAM.name);
    const told = [];
    for await (const message of await rejected.fetch({ max_messages: 3 })) {
      const { subject, headers } = message;
      const header = (name: string) => headers!.get(`Countinghouse-${name}`);
      told.push({
        workspace: subject.replace('countinghouse.usage-rejected.', ''),
        body: message.string(),
        code: header('Code'),
        reason: header('Reason'),
        index: header('Index'),
        sequence: header('Sequence'),
      });
    }
    expect(told.sort((a, b) => Number(a.sequence) - Number(b.sequence))).toEqual([
      {
        workspace: workspaceId,
        body: JSON.stringify(event({ customerId: 'nobody', properties: { n: 1 } })),
        code: 'customer_not_found',
        reason: 'No customer "nobody" in this workspace',
        index: '1',
        sequence: '1',
      },
      {
        workspace: workspaceId,
        body: '{"oh": ',
        code: 'malformed_json',
        reason: expect.stringContaining('The body is not JSON'),
        index: '',
        sequence: '2',
      },
      {
        workspace: 'acc_unknown',
        body: JSON.stringify([event()]),
        code: 'workspace_not_found',
        reason: 'There is no workspace "acc_unknown"',
        index: '',
        sequence: '3',
      },
    ]);
  });

  it('is rejected without its body if the stream of rejections does not take it whole', async () => {
    await manager.streams.add({ ...REJECTED_STREAM, max_msg_size: 1_024 });
    await start();
    const sent = JSON.stringify(event({ customerId: 'nobody', properties: { text: 'x'.repeat(2_000) } }));
    await send(sent);
    await drained();
    const message = await manager.streams.getMessage(REJECTED_STREAM.name, { seq: 1 });
    expect(message!.string()).toBe('');
    expect(message!.header.get('Countinghouse-Code')).toBe('customer_not_found');
    expect(message!.header.get('Countinghouse-Truncated')).toBe(`${sent.length} bytes`);
  });

  it('is delivered again after a process stored it and died before the acknowledgement, and counts once', async () => {
    await manager.consumers.add(USAGE_STREAM.name, { ...USAGE_CONSUMER, ack_wait: nanos(1_000) });
    const stored = Promise.withResolvers<void>();
    const never = Promise.withResolvers<void>();
    const first = await start({
      after: () => {
        stored.resolve();
        return never.promise;
      },
    });
    await send(event());
    await stored.promise;
    await first.nats.stop();
    await start();
    await drained();
    expect(await logged()).toHaveLength(1);
    never.resolve();
  });

  it('is returned while it cannot be stored, and ingested later', async () => {
    let failures = 1;
    await start({
      before: async () => {
        if (failures-- > 0) throw new Unavailable('usage_overloaded', 'Too much');
      },
    });
    await send(event({ idempotencyKey: 'k' }));
    await drained();
    expect(failures).toBe(-1);
    expect(await logged()).toMatchObject([{ key: 'k' }]);
  });

  it('is shared by several processes', async () => {
    const both = new Gate(2);
    await Promise.all([start({ before: () => both.pass() }), start({ before: () => both.pass() })]);
    const keys = Array.from({ length: 600 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key) => send(event({ idempotencyKey: key }))));
    await drained();
    expect((await logged()).map(({ key }) => key).sort()).toEqual(keys.sort());
  });

  it('continues when the server is available again', async () => {
    await start();
    await send(event({ idempotencyKey: 'before' }));
    await drained();
    const back = reconnected();
    await server.down();
    await server.up();
    await back;
    await send(event({ idempotencyKey: 'after' }));
    await drained();
    expect(await logged()).toMatchObject([{ key: 'before' }, { key: 'after' }]);
  });

  /** Starts a process that ingests usage. `before` runs before each message, and `after` runs when its events are on disk. */
  async function start(hooks: { before?: () => Promise<void>; after?: () => Promise<void> } = {}) {
    const usage: UsageProcess = usageProcess(world.database.url);
    const nats = new NatsClient({ servers: server.url, ...RECONNECT }, logger);
    nats.start();
    const intake = new (class extends UsageMessageIngest {
      override async receive(message: UsageMessage): Promise<void> {
        await hooks.before?.();
        await super.receive(message);
        await hooks.after?.();
      }
    })(usage.ingest, new RejectionPublisher(nats), 10);
    const abort = new AbortController();
    const done = new UsageConsumer(nats, intake, logger).run(abort.signal);
    const stop = async (): Promise<void> => {
      abort.abort();
      await done;
      await nats.stop();
      await usage.stop();
    };
    started.push({ stop });
    return { nats };
  }

  async function send(body: unknown, workspace = workspaceId): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    await js.publish(`countinghouse.usage.${workspace}`, text);
  }

  function event(more: object = {}): object {
    return { customerId: 'cust_a', eventName: 'call', ...more };
  }

  /** Resolves when the stream is empty, so that each message was stored or rejected. */
  async function drained(): Promise<void> {
    for (;;) {
      const { state } = await manager.streams.info(USAGE_STREAM.name);
      if (state.messages === 0) return;
    }
  }

  /** Resolves when the test's own connection was lost and is restored. */
  async function reconnected(): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'reconnect') return;
  }

  async function logged(): Promise<{ key: string; source: string; n: string | null }[]> {
    const { rows } = await world.usage.pool.query<{ key: string; source: string; n: string | null }>(
      `SELECT idempotency_key AS key, source, properties->>'n' AS n FROM usage.log WHERE workspace_id = $1 ORDER BY seq`,
      [workspaceId],
    );
    return rows;
  }
});
