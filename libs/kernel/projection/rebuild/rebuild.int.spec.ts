import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventFeed } from '#libs/kernel/event-store';
import { poolOf } from '#libs/kernel/postgres';
import { cutConnections } from '../../../../test/support/index.js';
import { largest, tallies, TallySystem } from '../../../../test/support/tallies.js';
import type { Projection } from '../projection.js';
import { BuildBusy, buildLockKeySql } from './build-locks.js';
import { MAX_CATCH_UP_EVENTS } from './catch-up.js';
import type { BuildProgressListener, BuildOptions } from './open-builds.js';
import { rebuild } from './rebuild.js';

let system: TallySystem;

beforeEach(async () => {
  system = await TallySystem.start();
});
afterEach(() => system.stop());

const quiet: BuildProgressListener = {
  reportStart: () => undefined,
  reportPosition: () => undefined,
  reportStatus: () => undefined,
};

/** Runs a rebuild as another process would, with a connection name by which its connections can be cut. */
async function rebuildBy(
  name: string,
  projections: Projection[],
  options: Partial<BuildOptions> = {},
  feed = system.feed,
): ReturnType<typeof rebuild> {
  const dataSource = await system.connect(name);
  const sources = { feed, dataSource, pool: poolOf(dataSource) };
  return rebuild(projections, sources, {
    signal: new AbortController().signal,
    listener: quiet,
    ...options,
  });
}

/** Returns the projection, which waits after its first batch until it is released. */
function held(plain: Projection) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const positions: bigint[] = [];
  const projection: Projection = {
    ...plain,
    async apply(events, context) {
      positions.push(...events.map(({ position }) => position));
      await plain.apply(events, context);
      arrived.resolve();
      await released.promise;
    },
  };
  return { projection, arrived: arrived.promise, release: () => released.resolve(), positions };
}

/** The feed of the system, which yields each event in a batch of its own. */
function singleEventFeed(): EventFeed {
  const history: EventFeed['history'] = (after, _batch, signal) => system.feed.history(after, 1, signal);
  return Object.assign(Object.create(system.feed), { history });
}

/**
 * The feed of the system. Whenever a build has read the log, an event arrives and becomes live, so the swap must add this event. `atSwap`
 * is called when the swap reads the event.
 */
function feedOfLateBuilds(atSwap: () => void): { feed: EventFeed; appended: () => number } {
  let appended = 0;
  async function* history(...[after, batch, signal]: Parameters<EventFeed['history']>) {
    if (batch === MAX_CATCH_UP_EVENTS) atSwap();
    yield* system.feed.history(after, batch, signal);
    if (batch === MAX_CATCH_UP_EVENTS) return;
    appended++;
    await system.projected((await system.count('a')).position);
  }
  return { feed: Object.assign(Object.create(system.feed), { history }), appended: () => appended };
}

async function buildsLeft(): Promise<object[]> {
  const { rows } = await system.pool.query<object>(
    'SELECT name, purpose, version, position, error FROM projection.builds ORDER BY name',
  );
  return rows;
}

describe('a rebuild', () => {
  it('rebuilds a read model from the events, keeps the old one, and the projector continues with the new one', async () => {
    await system.startProjector(tallies());
    await system.count('a', 2);
    await system.projected((await system.count('b')).position);
    await system.pool.query(`UPDATE read.tallies SET total = 100 WHERE name = 'a'`);

    expect(await rebuildBy('rebuild', [tallies()])).toEqual({ swapped: ['tallies'], ready: [] });
    expect(await system.totals()).toEqual({ a: 2, b: 1 });
    expect(await system.totals('read_old')).toEqual({ a: 100, b: 1 });
    expect(await buildsLeft()).toEqual([]);

    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 3, b: 1 });
    expect(await system.totals('read_old')).toEqual({ a: 100, b: 1 });
  });

  it('contains the events that arrived meanwhile, each once', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    const { projection, arrived, release } = held(tallies());
    const rebuilding = rebuildBy('rebuild', [projection]);
    await arrived;
    for (let n = 0; n < 5; n++) await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 6 });
    release();
    await rebuilding;
    expect(await system.totals()).toEqual({ a: 6 });
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 7 });
  });

  it('replaces all its read models in one moment', async () => {
    await system.startProjector(tallies(), largest());
    await system.projected((await system.count('a', 3)).position);
    await system.pool.query('UPDATE read.tallies SET total = 0; UPDATE read.largest SET by = 0');
    const both = `SELECT (SELECT total FROM read.tallies) + (SELECT by FROM read.largest) AS sum`;
    const seen = new Set<number>();
    let over = false;
    const reading = (async () => {
      while (!over) seen.add((await system.pool.query<{ sum: number }>(both)).rows[0]!.sum);
    })();
    await rebuildBy('rebuild', [tallies(), largest()]);
    over = true;
    await reading;
    expect([0, 6]).toEqual(expect.arrayContaining([...seen]));
    expect((await system.pool.query(both)).rows).toEqual([{ sum: 6 }]);
  });

  it('continues where it was, however its process ended', async () => {
    await system.startProjector(tallies());
    for (const name of ['a', 'b', 'c']) await system.projected((await system.count(name)).position);
    await rebuildBy('first', [failingAt('c')]).catch(() => undefined);
    const [{ position }] = (await buildsLeft()) as [{ position: string }];

    const second = held(tallies());
    const killed = rebuildBy('second', [second.projection]);
    await second.arrived;
    await cutConnections(system.pool, 'second');
    second.release();
    await expect(killed).rejects.toThrow();
    expect(await buildsLeft()).toMatchObject([{ position }]);

    const third = held(tallies());
    third.release();
    await rebuildBy('third', [third.projection]);
    expect(third.positions[0]).toBeGreaterThan(BigInt(position));
    expect(await system.totals()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('starts from the beginning on request, or if the definition of its table has changed', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    await rebuildBy('first', [failingAt('a')]).catch(() => undefined);
    await system.pool.query(`INSERT INTO read_next.tallies VALUES ('left over', 1)`);
    await rebuildBy('second', [tallies()], { afresh: true });
    expect(await system.totals()).toEqual({ a: 1 });

    await rebuildBy('third', [failingAt('a')]).catch(() => undefined);
    await system.pool.query(`INSERT INTO read_next.tallies VALUES ('left over', 1)`);
    await system.pool.query(`UPDATE projection.builds SET definition = 'CREATE TABLE of another time'`);
    await rebuildBy('fourth', [tallies()]);
    expect(await system.totals()).toEqual({ a: 1 });
  });

  it('names the event that a handler fails at, keeps the events before it, and does not change the live model', async () => {
    await system.startProjector(tallies());
    const before = await system.count('a');
    const culprit = await system.count('bad');
    await system.projected((await system.count('a')).position);
    const failure =
      `Projection "tallies" failed at TallyCounted of ${culprit.stream} at position ${culprit.position}: ` +
      'no such thing';
    await expect(rebuildBy('rebuild', [failingAt('bad')])).rejects.toThrow(failure);
    expect(await buildsLeft()).toEqual([
      {
        name: 'tallies',
        purpose: 'rebuild',
        version: 1,
        position: String(before.position),
        error: failure,
      },
    ]);
    expect(await system.totals()).toEqual({ a: 2, bad: 1 });
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 3, bad: 1 });

    await rebuildBy('rebuild', [tallies()]);
    expect(await system.totals()).toEqual({ a: 3, bad: 1 });
  });

  it('names the failing event if the events of several batches are written together', async () => {
    const names = ['a', 'b', 'a', 'bad'];
    const positions: bigint[] = [];
    for (const name of names) positions.push((await system.count(name)).position);

    const failing = rebuildBy('first', [failingAt('bad')], {}, singleEventFeed());
    await expect(failing).rejects.toThrow(`at position ${positions.at(-1)}: no such thing`);
    expect(await buildsLeft()).toMatchObject([{ position: String(positions.at(-2)) }]);

    const second = held(tallies());
    second.release();
    const applied = jest.spyOn(second.projection, 'apply');
    await rebuildBy('second', [second.projection], { afresh: true }, singleEventFeed());
    expect(applied.mock.calls.map(([events]) => events.length)).toEqual([names.length]);
    expect(await system.totals()).toEqual({ a: 2, b: 1, bad: 1 });
  });

  it('writes the events of the other read models if a handler fails', async () => {
    await system.count('a');
    const { position } = await system.count('bad');
    const failing = rebuildBy('rebuild', [failingAt('bad'), largest()], {}, singleEventFeed());
    await expect(failing).rejects.toThrow('no such thing');
    expect(await buildsLeft()).toContainEqual(
      expect.objectContaining({ name: 'largest', position: String(position), error: null }),
    );
  });

  it('locks its record while it writes, so that a second process at the same build waits', async () => {
    await system.count('a');
    const { projection, arrived, release } = held(tallies());
    const rebuilding = rebuildBy('rebuild', [projection]);
    await arrived;
    const unlocked = 'SELECT name FROM projection.builds FOR UPDATE SKIP LOCKED';
    const { rows } = await system.pool.query(unlocked);
    release();
    await rebuilding;
    expect(rows).toEqual([]);
  });

  it('writes nothing after it is stopped, and continues without those events', async () => {
    const positions: bigint[] = [];
    for (const name of ['a', 'b']) positions.push((await system.count(name)).position);
    const stopped = new AbortController();
    const progress = {
      ...quiet,
      reportPosition: (position: bigint) => {
        if (position === positions.at(-1)) stopped.abort();
      },
    };
    const first = held(tallies());
    first.release();
    const options = { signal: stopped.signal, listener: progress };
    await expect(rebuildBy('first', [first.projection], options, singleEventFeed())).rejects.toThrow();
    expect(first.positions).toEqual([]);
    expect(await buildsLeft()).toMatchObject([{ position: null }]);

    await rebuildBy('second', [tallies()]);
    expect(await system.totals()).toEqual({ a: 1, b: 1 });
  });

  it('runs once at a time for each read model', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    const { projection, arrived, release } = held(tallies());
    const first = rebuildBy('first', [projection]);
    await arrived;
    await expect(rebuildBy('second', [tallies()])).rejects.toThrow(BuildBusy);
    const third = rebuildBy('third', [tallies()], { waitForOtherBuilds: true });
    release();
    expect(await first).toMatchObject({ swapped: ['tallies'] });
    expect(await third).toMatchObject({ swapped: ['tallies'] });
  });

  it('keeps the read rights of the old tables', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    await system.pool.query(
      'GRANT SELECT ON read.tallies TO pg_monitor; GRANT SELECT ON read.tallies TO PUBLIC',
    );
    await rebuildBy('rebuild', [tallies()]);
    const { rows } = await system.pool.query<object>(
      `SELECT has_table_privilege('pg_monitor', 'read.tallies', 'SELECT') AS role, relacl::text LIKE '%=r/%' AS public
       FROM pg_class WHERE oid = 'read.tallies'::regclass`,
    );
    expect(rows).toEqual([{ role: true, public: true }]);
  });
});

describe('a swap', () => {
  it('waits for a long query on the live table and says so, while others continue reading and writing', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    const reader = await system.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT * FROM read.tallies');
    const waiting = Promise.withResolvers<string>();
    const rebuilding = rebuildBy('rebuild', [tallies()], {
      listener: {
        ...quiet,
        reportStatus: (text) => text.startsWith('The swap waits') && waiting.resolve(text),
      },
    });
    expect(await waiting.promise).toMatch(
      /^The swap waits for a query on read\.tallies that has run for \d+ s/,
    );
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 2 });
    await reader.query('COMMIT');
    reader.release();
    await rebuilding;
    expect(await system.totals('read_old')).toEqual({ a: 2 });
  });

  it('leaves the live tables as they are if it is stopped while it adds the last events', async () => {
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    const stopped = new AbortController();
    const late = feedOfLateBuilds(() => stopped.abort());
    await expect(rebuildBy('first', [tallies()], { signal: stopped.signal }, late.feed)).rejects.toThrow();
    await system.projected((await system.count('b')).position);
    expect(await system.totals()).toEqual({ a: 1 + late.appended(), b: 1 });
    expect(await system.totals('read_next')).toEqual({ a: late.appended() });

    await rebuildBy('second', [tallies()]);
    expect(await system.totals()).toEqual({ a: 1 + late.appended(), b: 1 });
  });

  it('also works with prepared statements, without an error and without a missing row', async () => {
    await system.startProjector(tallies());
    for (const name of ['a', 'b', 'c']) await system.projected((await system.count(name)).position);
    let over = false;
    const counts = new Set<number>();
    const read = async (): Promise<void> => {
      const reader = await system.pool.connect();
      while (!over) {
        const { rows } = await reader.query({
          name: 'all',
          text: 'SELECT * FROM read.tallies WHERE total > 0',
        });
        counts.add(rows.length);
      }
      reader.release();
    };
    const readers = [read(), read()];
    for (let n = 0; n < 3; n++) await rebuildBy('rebuild', [tallies()]);
    over = true;
    await Promise.all(readers);
    expect([...counts]).toEqual([3]);
  });
});

describe('another version of a read model', () => {
  it('is built next to the earlier one, which is read until the swap, while the others stay current', async () => {
    const before = await system.startProjector(tallies(), largest());
    await system.projected((await system.count('a', 2)).position);
    await before.process.stop();

    const { projection, arrived, release } = held(tallies(2));
    await system.startProjector(projection, largest());
    await arrived;
    const { position } = await system.count('a', 3);
    expect(await system.readModels.waitFor(position, 60_000)).toBe(false);
    await system.committed('largest', position);
    expect(await system.totals()).toEqual({ a: 2 });

    release();
    await system.versionLive('tallies', 2);
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 6 });
    expect(await system.totals('read_old')).toEqual({ a: 2 });
  });

  it('is an empty table while it is built for the first time', async () => {
    const before = await system.startProjector(tallies());
    await system.projected((await system.count('a', 2)).position);
    await before.process.stop();
    const { projection, arrived, release } = held(largest());
    await system.startProjector(tallies(), projection);
    await arrived;
    expect((await system.pool.query('SELECT * FROM read.largest')).rows).toEqual([]);
    release();
    await system.versionLive('largest', 1);
    expect((await system.pool.query('SELECT * FROM read.largest')).rows).toEqual([{ name: 'a', by: 2 }]);
  });

  it('is left ready by a rebuild while a projector of the earlier version runs, and swapped by the next projector', async () => {
    const before = await system.startProjector(tallies());
    await system.projected((await system.count('a', 2)).position);
    expect(await rebuildBy('rebuild', [tallies(2)])).toEqual({ swapped: [], ready: ['tallies'] });
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 3 });
    await before.process.stop();

    const next = held(tallies(2));
    next.release();
    await system.startProjector(next.projection);
    await system.versionLive('tallies', 2);
    expect(await system.totals()).toEqual({ a: 3 });
    expect(next.positions).toHaveLength(1);
  });

  it('becomes live at once if no projector is at work', async () => {
    const before = await system.startProjector(tallies());
    await system.projected((await system.count('a', 2)).position);
    await before.process.stop();
    expect(await rebuildBy('rebuild', [tallies(2)])).toEqual({ swapped: ['tallies'], ready: [] });
    await system.versionLive('tallies', 2);
    expect(await system.totals()).toEqual({ a: 2 });
  });

  it('is built even if the connection with its lock is cut meanwhile', async () => {
    const before = await system.startProjector(tallies());
    await system.projected((await system.count('a', 2)).position);
    await before.process.stop();
    const { projection, arrived, release } = held(tallies(2));
    await system.startProjector(projection);
    await arrived;
    const { rowCount } = await system.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND (classid::bigint << 32) + objid::bigint = ${buildLockKeySql(`'tallies'`)}`,
    );
    expect(rowCount).toBe(1);
    release();
    await system.versionLive('tallies', 2);
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 3 });
  });

  it('is replaced by the earlier version when the earlier program returns', async () => {
    const before = await system.startProjector(tallies());
    await system.projected((await system.count('a', 2)).position);
    await before.process.stop();
    const { projection, arrived, release } = held(tallies(2));
    const tried = await system.startProjector(projection);
    await arrived;
    await tried.crash();
    release();
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 3 });
  });
});

/** The tallies, with a handler that fails at an event of this name. */
function failingAt(name: string): Projection {
  const plain = tallies();
  return {
    ...plain,
    apply: async (events, context) => {
      if (events.some(({ data }) => (data as { name: string }).name === name))
        throw new TypeError('no such thing');
      await plain.apply(events, context);
    },
  };
}
