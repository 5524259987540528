import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jsonEvent } from '@eventstore/db-client';
import {
  AggregateStore,
  ERASED,
  type EventCodec,
  EventFeed,
  PersonalDataVault,
  systemContext,
} from '#libs/kernel/event-store';
import {
  defineDecider,
  EventVocabulary,
  v1,
  type DomainEvent,
  type RecordedEvent,
} from '#libs/kernel/domain';
import { Gate, startStorage, type TestStorage } from '../../../test/support/index.js';
import { auditAnchorDecider } from './anchor.js';
import { AuditAnchorer } from './anchorer.js';
import { AuditAnchors, type NewestAnchor } from './anchors.js';
import { CHAIN_START, nextLink, type ChainLink } from './chain.js';
import type { AuditAnchor } from './events.js';

const forever = new AbortController().signal;
let storage: TestStorage;
let vault: PersonalDataVault;
let codec: EventCodec;
let anchors: AuditAnchors;

beforeEach(async () => {
  storage = await startStorage(new EventVocabulary([notes, auditAnchorDecider]));
  vault = new PersonalDataVault(storage.pool);
  codec = storage.newCodec(vault);
  anchors = new AuditAnchors(storage.client, codec);
});
afterEach(async () => storage?.stop());

describe('the anchors of the audit trail', () => {
  it('are appended after each full number of entries and at the last entry', async () => {
    await note(5);
    await anchorer(2).anchor(forever);
    const { entries, links } = await chain();
    expect(await recordedAnchors()).toEqual(
      [2, 4, 5].map((sequence) => ({
        sequence,
        hash: links[sequence]!.hash,
        position: entries[sequence - 1]!.position.toString(),
      })),
    );
  });

  it('continue from the newest anchor, and need no anchor themselves', async () => {
    await anchorer(100).anchor(forever);
    expect(await recordedAnchors()).toEqual([]);
    await note(3);
    await anchorer(100).anchor(forever);
    await anchorer(100).anchor(forever);
    await note(1, 'NoteSkimmed');
    await anchorer(100).anchor(forever);
    expect((await recordedAnchors()).map(({ sequence }) => sequence)).toEqual([3]);
    await note(2);
    await anchorer(100).anchor(forever);
    const { links } = await chain();
    expect(await recordedAnchors()).toEqual([
      expect.objectContaining({ sequence: 3, hash: links[3]!.hash }),
      expect.objectContaining({ sequence: 5, hash: links[5]!.hash }),
    ]);
  });

  it('are appended once if two processes append at the same moment', async () => {
    await note(4);
    const gate = new Gate(2);
    class Held extends AuditAnchors {
      override async append(...args: Parameters<AuditAnchors['append']>): Promise<NewestAnchor | undefined> {
        await gate.pass();
        return super.append(...args);
      }
    }
    const held = new Held(storage.client, codec);
    await Promise.all([anchorer(3, held).anchor(forever), anchorer(4, held).anchor(forever)]);
    await anchorer(100).anchor(forever);
    const { links } = await chain();
    const made = await recordedAnchors();
    expect(made.at(-1)).toMatchObject({ sequence: 4, hash: links[4]!.hash });
    expect(new Set(made.map(({ sequence }) => sequence)).size).toBe(made.length);
  });

  it('stop before an event that only a newer version can classify', async () => {
    await note(2);
    const fromTheFuture = jsonEvent({ type: 'FromTheFuture', data: {}, metadata: { schemaVersion: 1 } });
    await storage.client.appendToStream('other-1', fromTheFuture);
    await note(2);
    await expect(anchorer(1).anchor(forever)).rejects.toThrow('FromTheFuture');
    for (const { sequence } of await recordedAnchors()) expect(sequence).toBeLessThanOrEqual(2);
  });

  it('stay valid when personal data is erased, because the chain covers its encrypted form', async () => {
    await note(3);
    await anchorer(100).anchor(forever);
    const before = await chain();
    await vault.destroyKey('acc_1.n1');
    const after = await chain();
    expect(after.entries[1]!.data).toMatchObject({ text: ERASED });
    expect(before.entries[1]!.data).toMatchObject({ text: 'Ada was here' });
    expect(after.links).toEqual(before.links);
    expect((await recordedAnchors()).at(-1)).toMatchObject({ sequence: 3, hash: after.links[3]!.hash });
  });
});

/** `NoteTaken` is an entry of the audit trail, and `NoteSkimmed` is not. */
type Noted = DomainEvent<'NoteTaken' | 'NoteSkimmed', { noteId: string; text: string }>;
const notes = defineDecider<object, Noted, Noted>({
  category: 'note',
  events: { NoteTaken: { version: 1, personal: { subject: 'noteId', fields: ['text'] } }, NoteSkimmed: v1 },
  decide: (event) => [event],
  evolve: () => ({}),
});

async function note(count: number, type: Noted['type'] = 'NoteTaken'): Promise<void> {
  const store = new AggregateStore(storage.client, codec);
  for (let i = 0; i < count; i++) {
    const noteId = `n${i}`;
    const context = systemContext({
      workspaceId: 'acc_1',
      now: '2026-01-01T00:00:00.000Z',
      process: 'test',
      commandId: crypto.randomUUID(),
    });
    await store.execute(notes, `acc_1.${noteId}`, context, { type, data: { noteId, text: 'Ada was here' } });
  }
}

function isEntry({ type }: RecordedEvent): boolean {
  return type === 'NoteTaken';
}

function anchorer(entriesPerAnchor: number, through = anchors): AuditAnchorer {
  const feed = new EventFeed(storage.client, codec);
  return new AuditAnchorer(through, feed, isEntry, entriesPerAnchor);
}

async function recordedAnchors(): Promise<AuditAnchor[]> {
  const found: AuditAnchor[] = [];
  for await (const { data } of anchors.all()) found.push(data);
  return found;
}

/** Reads the log: its entries, and the links of the chain by their sequence. */
async function chain(): Promise<{ entries: RecordedEvent[]; links: ChainLink[] }> {
  const entries: RecordedEvent[] = [];
  const links: ChainLink[] = [CHAIN_START];
  const resolved = [];
  for await (const one of storage.client.readAll()) resolved.push(one);
  for (const event of await codec.decode(resolved)) {
    if (!isEntry(event)) continue;
    entries.push(event);
    links.push(nextLink(links.at(-1)!, event));
  }
  return { entries, links };
}
