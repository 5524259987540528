import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventEmitter, once } from 'node:events';
import type pg from 'pg';
import { addSeconds } from '#libs/kernel/core';
import { createLogger, systemClock } from '#libs/kernel/system';
import { EventCodec, EventFeed, PersonalDataVault } from '#libs/kernel/event-store';
import { NotificationListener } from '#libs/kernel/postgres';
import { EventVocabulary } from '#libs/kernel/domain';
import { addTasks } from '../../../test/support/add-tasks.js';
import {
  createMigratedDatabase,
  createPool,
  startEventStore,
  type TestDatabase,
} from '../../../test/support/index.js';
import {
  ProcessManager,
  PausedQueueStore,
  SagaRunner,
  TaskStore,
  type Task,
  type TaskResult,
} from './index.js';

const event = { eventId: 'event-1', workspaceId: 'acc_1', correlationId: 'request-1' };
const WORKER = 1;

let database: TestDatabase;
let pool: pg.Pool;
let store: TaskStore;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  store = new TaskStore(pool);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** Stores `count` tasks of this name that are due now. */
const add = (process: string, name: string, count: number, queue?: string) =>
  addTasks(pool, count, { process, name, eventId: event.eventId, ...(queue === undefined ? {} : { queue }) });
const take = (limit: number) => store.takeDueTasks(WORKER, limit, ['sender']);
const names = (tasks: Task[]): string[] => tasks.map(({ name }) => name).sort();

describe('queues', () => {
  it('lets a few tasks of one queue run at a time, and those of others pass them', async () => {
    await add('sender', 'slow', 20, 'slow receiver');
    await add('sender', 'quick', 2, 'quick receiver');
    await add('sender', 'free', 6);
    const taken = [...(await take(100)), ...(await take(100))];
    expect(names(taken)).toEqual([
      ...Array<string>(6).fill('free'),
      'quick',
      'quick',
      ...Array<string>(4).fill('slow'),
    ]);
  });

  it('counts what is running already, also when there are fewer slots than tasks', async () => {
    await add('sender', 'slow', 20, 'slow receiver');
    const taken = [...(await take(5)), ...(await take(6)), ...(await take(7))];
    expect(taken).toHaveLength(4);
    await store.finish(taken[0]!);
    expect(await take(5)).toHaveLength(1);
  });

  it('has nothing to wake up for while the only tasks are of a queue that is full', async () => {
    await add('sender', 'slow', 5, 'slow receiver');
    const [first] = await take(100);
    expect(await take(100)).toEqual([]);
    expect(await store.millisUntilNextWork(['sender'])).toBeUndefined();
    await store.finish(first!);
    expect(await take(100)).toHaveLength(1);
  });

  it("takes only the asking worker's process managers' tasks", async () => {
    await add('other', 'theirs', 3);
    expect(await take(100)).toEqual([]);
    expect(await store.millisUntilNextWork(['sender'])).toBeUndefined();
  });
});

describe('a queue that is held', () => {
  const queue = { process: 'sender', workspaceId: event.workspaceId, queue: 'broken receiver' };
  const queues = () => new PausedQueueStore(pool);
  const pass = () => pool.query('UPDATE saga.queue_holds SET until = now()');

  it('gives no task until its time, then one at a time, and all when it is released', async () => {
    await add('sender', 'broken', 20, queue.queue);
    await add('sender', 'quick', 2, 'quick receiver');
    await queues().pause(queue, 3_600);
    expect(names(await take(100))).toEqual(['quick', 'quick']);
    expect(await store.millisUntilNextWork(['sender'])).toBeGreaterThan(3_000_000);
    await pass();
    const probe = await take(100);
    expect(names(probe)).toEqual(['broken']);
    expect(await take(100)).toEqual([]);
    await store.finish(probe[0]!);
    expect(await take(100)).toHaveLength(1);
    await queues().resume(queue);
    expect(await take(100)).toHaveLength(3);
  });

  it('is held for its own workspace, as long as the longest hold says', async () => {
    await addTasks(pool, 1, { name: 'theirs', workspaceId: 'acc_2', queue: queue.queue });
    await queues().pause(queue, 3_600);
    await queues().pause(queue, 1);
    expect(names(await take(100))).toEqual(['theirs']);
    const [[held, until] = []] = await queues().pauseEnds('sender', event.workspaceId);
    expect(held).toBe(queue.queue);
    expect(until! > addSeconds(systemClock.now(), 3_000)).toBe(true);
    expect(await queues().pauseEnds('sender', 'acc_2')).toEqual(new Map());
  });

  it('says once that its hold begins, and once that it ends', async () => {
    const begins = [await queues().pause(queue, 3_600), await queues().pause(queue, 7_200)];
    expect(begins.map(({ isNew }) => isNew)).toEqual([true, false]);
    expect(begins[1]!.until > begins[0]!.until).toBe(true);
    expect([await queues().countPaused('sender'), await queues().countPaused('mail')]).toEqual([1, 0]);
    expect([await queues().resume(queue), await queues().resume(queue)]).toEqual([true, false]);
    expect(await queues().countPaused('sender')).toBe(0);
  });
});

describe('what a task leads to', () => {
  it('is put back until the time that it asked for, with its attempts counted anew, but never as the first', async () => {
    await add('sender', 'retry', 1);
    const [task] = await take(1);
    await store.recordFailure(task!, { message: 'not now' }, 0);
    const [second] = await take(1);
    expect(second!.attempt).toBe(2);
    await store.reschedule(second!, '2999-01-01T00:00:00.000Z');
    expect(await take(1)).toEqual([]);
    await store.reschedule(second!, '2000-01-01T00:00:00.000Z');
    const again = { attempt: 2, dueAt: '2000-01-01T00:00:00.000Z', clock: 'workspace' };
    expect(await take(1)).toEqual([{ ...task, ...again }]);
  });

  it('stores the tasks that follow with the end of the one before, each once', async () => {
    await add('sender', 'fan-out', 1);
    const [task] = await take(1);
    const following = ['a', 'b'].map((key) => ({
      name: 'send',
      key,
      payload: { key },
      clock: 'system' as const,
    }));
    await store.finish(task!, following);
    await store.finish(task!, following);
    const sends = await take(10);
    expect(sends.map(({ payload }) => payload)).toEqual(expect.arrayContaining([{ key: 'a' }, { key: 'b' }]));
    expect(sends).toHaveLength(2);
    expect(sends[0]).toMatchObject({ ...event, process: 'sender', attempt: 1 });
  });

  it('stores what follows from each of the tasks that end together', async () => {
    await add('sender', 'fan-out', 2);
    await add('sender', 'last', 1);
    const ended = await take(10);
    const followingOf = ({ id, name }: Task) =>
      name === 'last' ? [] : [{ name: 'send', key: id, payload: { after: id }, clock: 'system' as const }];
    await Promise.all(ended.map((task) => store.finish(task, followingOf(task))));
    const sends = await take(10);
    const fanOuts = ended.filter(({ name }) => name === 'fan-out');
    expect(sends.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(fanOuts.map(({ id }) => ({ after: id }))),
    );
    expect(sends).toHaveLength(2);
  });
});

describe('slots', () => {
  class Performer extends ProcessManager {
    readonly heard = new EventEmitter();

    constructor(
      readonly name: string,
      override readonly slots: number | undefined,
      private readonly work: () => Promise<TaskResult | void>,
    ) {
      super({ now: async () => '2026-01-01T00:00:00.000Z' });
    }

    override react = () => [];
    protected override readonly tasks = { slow: () => this.begin(), quick: () => this.begin() };

    private begin(): Promise<TaskResult | void> {
      this.heard.emit('started');
      return this.work();
    }
  }

  it('keeps a process manager that waits for the world from holding up the others', async () => {
    const node = await startEventStore(database.url);
    const client = EventStoreDBClient.connectionString(node.url);
    const listener = new NotificationListener(database.url);
    await listener.start();

    const held = Promise.withResolvers<void>();
    const slow = new Performer('slow', 2, () => held.promise);
    const quick = new Performer('quick', undefined, async () => undefined);
    await add('slow', 'slow', 50);
    const feed = new EventFeed(client, new EventCodec(new PersonalDataVault(pool), new EventVocabulary([])));
    const runner = new SagaRunner([slow, quick], feed, pool, listener, createLogger('test', 'silent'));
    const abort = new AbortController();
    const slowStarted = once(slow.heard, 'started');
    const running = runner.run(abort.signal);
    await slowStarted;

    const quickStarted = once(quick.heard, 'started');
    await add('quick', 'quick', 1);
    await store.notifyWorkers();
    await quickStarted;
    const { rows } = await pool.query(
      `SELECT 1 FROM saga.tasks WHERE process = 'slow' AND status = 'running'`,
    );
    expect(rows.length).toBeLessThanOrEqual(2);

    abort.abort();
    held.resolve();
    await running;
    await listener.close();
    await client.dispose();
    await node.close();
  });
});
