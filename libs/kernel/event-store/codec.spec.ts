import { describe, expect, it } from '@jest/globals';
import type { ResolvedEvent } from '@eventstore/db-client';
import { EventVocabulary, v1 } from '#libs/kernel/domain';
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
      ...{ id: 'e1', type, streamId: 'note-acc_1.1', revision: 0n, data: { text: 'Hi' }, metadata },
      ...{ position: { commit: 7n, prepare: 7n }, created: new Date(0), isJson: true },
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
