import { describe, expect, it } from '@jest/globals';
import type { ResolvedEvent } from '@eventstore/db-client';
import {
  evolveQuarantine,
  EventVocabulary,
  v1,
  type Quarantine,
  type QuarantineEvent,
} from '#libs/kernel/domain';
import { EventCodec, UnreadableEvent, noPersonalDataKeys } from './index.js';

const codec = new EventCodec(
  noPersonalDataKeys,
  new EventVocabulary([
    { category: 'note', events: { NoteTaken: v1 } },
    {
      category: 'letter',
      events: {
        LetterSent: {
          version: 3,
          upcasters: {
            1: ({ text, ...data }) => ({ ...data, lines: [text] }),
            2: (data) => ({ ...data, copies: 1 }),
          },
        },
      },
    },
  ]),
);
const stored = (type: string, metadata?: object) =>
  ({
    event: {
      id: 'e1',
      type,
      streamId: 'note-acc_1.1',
      revision: 0n,
      data: { text: 'Hi' },
      metadata,
      position: { commit: 7n, prepare: 7n },
      created: new Date(0),
      isJson: true,
    },
  }) as unknown as ResolvedEvent;

describe('an event that is read', () => {
  it('stops the program with its type and position if no context has its type', async () => {
    const reading = codec.decode([
      stored('NoteTaken', { schemaVersion: 1 }),
      stored('NoteBurnt', { schemaVersion: 1 }),
    ]);
    await expect(reading).rejects.toThrow(UnreadableEvent);
    await expect(reading).rejects.toThrow(
      'NoteBurnt (event e1) of note-acc_1.1 at position 7 cannot be read: no context of this program has the event type NoteBurnt',
    );
  });

  it('is returned as stored if another program wrote it, without a schema version', async () => {
    expect(await codec.decode([stored('Foreign')])).toMatchObject([
      { type: 'Foreign', data: { text: 'Hi' } },
    ]);
  });

  it('stops the program if it is of a later version', async () => {
    await expect(codec.decode([stored('NoteTaken', { schemaVersion: 2 })])).rejects.toThrow(
      'NoteTaken has schema version 2, but this program knows only 1',
    );
  });

  it('has data in the present schema, and also the data as stored, for every version', async () => {
    const [first, second] = await codec.decode([
      stored('LetterSent', { schemaVersion: 1 }),
      stored('LetterSent', { schemaVersion: 3 }),
    ]);
    expect(first).toMatchObject({ data: { lines: ['Hi'], copies: 1 }, storedData: { text: 'Hi' } });
    expect(second).toMatchObject({ data: { text: 'Hi' } });
  });
});

describe('a quarantined event', () => {
  const at = '2026-11-02T10:00:00.000Z';
  const stream = 'note-acc_1.1';
  const created = new Date(0);
  const inLog = (type: string, revision: bigint, position: bigint, more: object = {}) =>
    ({
      event: {
        id: `e${position}`,
        type,
        streamId: stream,
        revision,
        data: { text: 'Hi' },
        created,
        isJson: true,
        metadata: { schemaVersion: 1 },
        position: { commit: position, prepare: position },
        ...more,
      },
    }) as unknown as ResolvedEvent;
  const quarantined: QuarantineEvent = {
    type: 'EventQuarantined',
    data: {
      position: '7',
      stream,
      revision: '1',
      eventType: 'NoteBurnt',
      eventId: 'e7',
      digest: 'd',
      at,
      reason: 'Broken',
    },
  };
  const released: QuarantineEvent = { type: 'EventReleased', data: { position: '7', at, reason: 'Mended' } };
  const copy = { id: 'e7', type: 'NoteTaken', data: { text: 'Back' }, metadata: { schemaVersion: 1 } };
  const readmitted: QuarantineEvent = {
    type: 'EventReadmitted',
    data: { position: '7', at, event: { ...copy, stream, revision: '1', created: at } },
  };
  const discarded: QuarantineEvent = { type: 'EventDiscarded', data: { position: '7', at, reason: 'No' } };
  const quarantineOf = (...events: QuarantineEvent[]): Quarantine =>
    events.reduce<Quarantine>(
      (before, event) => evolveQuarantine(before, event, { workspaceId: 'acc_1', position: '9' }),
      {},
    );
  /** A codec of a process that read the quarantine when there was none, and reads `now` when it reads it again. */
  const codecWith = (now: Quarantine, before: Quarantine = {}) =>
    new EventCodec(
      noPersonalDataKeys,
      new EventVocabulary([{ category: 'note', events: { NoteTaken: v1 } }]),
      {
        current: () => Promise.resolve(before),
        reload: () => Promise.resolve(now),
      },
    );
  const shown = (events: { id: string; position: bigint }[]) =>
    events.map(({ id, position }) => [id, position]);

  it('is skipped in the log, also if the process learns only now that it is quarantined', async () => {
    const now = quarantineOf(quarantined);
    const log = [inLog('NoteTaken', 0n, 6n), inLog('NoteBurnt', 1n, 7n)];
    expect(shown(await codecWith(now).decodeLog(log))).toEqual([['e6', 6n]]);
    expect(shown(await codecWith(now, now).decodeLog(log))).toEqual([['e6', 6n]]);
    await expect(codecWith({}).decodeLog(log)).rejects.toThrow(UnreadableEvent);
  });

  it('stops the log at an event that follows it in its stream, even at one that can be read', async () => {
    const now = quarantineOf(quarantined);
    const following = codecWith(now, now).decodeLog([inLog('NoteTaken', 2n, 8n)]);
    await expect(following).rejects.toThrow('it follows the event at position 7 of its stream');
  });

  it('cannot be read in its stream, so that nothing is decided without it', async () => {
    const now = quarantineOf(quarantined);
    await expect(codecWith(now, now).decode([inLog('NoteTaken', 1n, 7n)])).rejects.toThrow(
      'it is quarantined',
    );
  });

  it('has the place of its release once it is released, in the log and in its stream', async () => {
    const now = quarantineOf(quarantined, released, readmitted);
    const mark = inLog('EventReadmitted', 2n, 9n, { streamId: 'eventQuarantine-log', data: readmitted.data });
    const codec = codecWith(now, quarantineOf(quarantined));
    expect(shown(await codec.decodeLog([inLog('NoteTaken', 1n, 7n), mark]))).toEqual([['e7', 9n]]);
    expect(shown(await codec.decode([inLog('NoteTaken', 1n, 7n)]))).toEqual([['e7', 9n]]);
  });

  it('changes nothing once it is discarded, and its stream goes on', async () => {
    const now = quarantineOf(quarantined, discarded);
    const codec = codecWith(now, quarantineOf(quarantined));
    // Also in a process that never heard of the quarantine.
    for (const reading of [codec, codecWith(now)]) {
      const read = await reading.decode([inLog('NoteBurnt', 1n, 7n), inLog('NoteTaken', 2n, 8n)]);
      expect(read.map(({ type, revision }) => [type, revision])).toEqual([
        ['EventSetAside', 1n],
        ['NoteTaken', 2n],
      ]);
    }
    expect(shown(await codec.decodeLog([inLog('NoteBurnt', 1n, 7n), inLog('NoteTaken', 2n, 8n)]))).toEqual([
      ['e8', 8n],
    ]);
  });
});
