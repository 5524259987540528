import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jsonEvent } from '@eventstore/db-client';
import { tallies, TallySystem } from '../../test/support/tallies.js';

let system: TallySystem;

beforeEach(async () => {
  system = await TallySystem.start();
});
afterEach(() => system.stop());

describe('a projector', () => {
  it('counts each event once, also when the event store goes away and comes back', async () => {
    await system.startProjector(tallies());
    for (let n = 0; n < 3; n++) await system.projected((await system.count('a')).position);
    await system.restartEventStore();
    for (let n = 0; n < 3; n++) await system.projected((await system.count('a')).position);
    expect(await system.totals()).toEqual({ a: 6 });
  });

  it('commits rows and checkpoint together: a crash between the two leaves neither, and the next counts once', async () => {
    const { position } = await system.count('a', 5);
    const plain = tallies();
    let wrote: () => void = () => undefined;
    const writing = new Promise<void>((resolve) => (wrote = resolve));
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = await system.startProjector({
      ...plain,
      async apply(events, context) {
        await plain.apply(events, context);
        wrote();
        await held;
      },
    });
    await writing;
    await first.crash();
    release();
    expect(await system.totals()).toEqual({});
    expect(await system.checkpoints()).toEqual([{ name: 'tallies', version: 1, position: null }]);

    await system.startProjector(plain);
    await system.projected(position);
    expect(await system.totals()).toEqual({ a: 5 });
    expect(await system.checkpoints()).toEqual([{ name: 'tallies', version: 1, position: String(position) }]);
  });

  it('waits and changes nothing while another projector is at work, then takes over', async () => {
    const { position } = await system.count('a', 2);
    const first = await system.startProjector(tallies(1));
    await system.projected(position);
    await system.startProjector(tallies(2));
    expect(await system.totals()).toEqual({ a: 2 });
    expect(await system.checkpoints()).toMatchObject([{ version: 1, position: String(position) }]);

    await first.process.stop();
    await system.versionLive('tallies', 2);
    expect(await system.totals()).toEqual({ a: 2 });
    expect(await system.checkpoints()).toMatchObject([{ version: 2, position: String(position) }]);
  });

  it('removes the checkpoint of a read model that no longer exists, which would be behind for ever', async () => {
    await system.pool.query(
      `INSERT INTO projection.checkpoints (name, version, position) VALUES ('retired', 1, 0)`,
    );
    await system.startProjector(tallies());
    expect(await system.checkpoints()).toMatchObject([{ name: 'tallies' }]);
  });
});

describe('a projector that cannot continue', () => {
  it('keeps the events before the one at which a handler fails, and names the failing event', async () => {
    await system.count('a');
    const culprit = await system.count('bad');
    await system.count('a');
    const plain = tallies();
    const { process } = await system.startProjector({
      ...plain,
      apply: async (events, context) => {
        await plain.apply(events, context);
        if (events.some(({ stream }) => stream === culprit.stream)) throw new TypeError('no such thing');
      },
    });
    await expect(process.failure).rejects.toThrow(
      `Projection "tallies" failed at TallyCounted of ${culprit.stream} at position ${culprit.position}: no such thing`,
    );
    expect(await system.totals()).toEqual({ a: 1 });
  });

  it('stops at an event that is newer than the program, instead of trying for ever', async () => {
    const { process } = await system.startProjector(tallies());
    const metadata = { workspaceId: 'acc_1', schemaVersion: 2 };
    await system.client.appendToStream(
      'tally-acc_1.x',
      jsonEvent({ type: 'TallyCounted', data: {}, metadata }),
    );
    await expect(process.failure).rejects.toThrow(
      'TallyCounted has schema version 2, but this program knows only 1',
    );
  });
});
