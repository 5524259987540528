import { describe, expect, it } from '@jest/globals';
import { CHAIN_START, nextLink, type ChainLink, type RecordedAnchor } from '#libs/contexts/audit';
import type { RecordedEvent } from '#libs/kernel/domain';
import { recordedEvent } from '#libs/kernel/testing';
import { auditEntryOf, type AuditRow } from '#projections/audit';
import { AuditCheck } from './audit-check.js';
import { PeekableSequence } from './peekable-sequence.js';

/** Entries 1 to 6, at positions 10, 20 … 60. */
const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((customerId, i) =>
  recordedEvent(
    `customer-acc_1.${customerId}`,
    { type: 'CustomerDeleted', data: { customerId } },
    { id: `event-${customerId}`, position: BigInt(10 * (i + 1)) },
  ),
);
const HEAD = 60n;

function chained(of: readonly RecordedEvent[]): AuditRow[] {
  let link: ChainLink = CHAIN_START;
  return of.map((event) => {
    const { sequence, digest, hash } = (link = nextLink(link, event));
    return { ...auditEntryOf(event)!, sequence: String(sequence), digest, hash };
  });
}
const rows = chained(events);

const anchorAt = (sequence: number, recordedAt = HEAD): RecordedAnchor => {
  const { hash, position } = rows[sequence - 1]!;
  return recordedEvent(
    'audit-anchors',
    { type: 'AuditAnchored', data: { sequence, hash, position } },
    { position: recordedAt, occurredAt: '2026-01-01T00:01:00.000Z' },
  );
};

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

interface Found {
  log?: readonly RecordedEvent[];
  trail?: readonly AuditRow[];
  anchors?: readonly RecordedAnchor[];
  rowsUpTo?: bigint;
  workspaceId?: string;
}

async function check({
  log = events,
  trail = rows,
  anchors = [],
  rowsUpTo = HEAD,
  workspaceId,
}: Found): Promise<string[]> {
  const audit = new AuditCheck(
    new PeekableSequence(each(trail)),
    new PeekableSequence(each(anchors)),
    rowsUpTo,
    workspaceId,
  );
  const found = [];
  for (const event of log) found.push(...(await audit.check(event)));
  found.push(...(await audit.finish(HEAD)));
  return found.map(({ position, subject, problem }) => `${position} ${subject}: ${problem}`);
}

/** The rows of the trail, with a change to one row. */
const withRow = (sequence: number, change: Partial<AuditRow>): AuditRow[] =>
  rows.map((row) => (row.sequence === String(sequence) ? { ...row, ...change } : row));
const without = <T>(items: readonly T[], ...indexes: number[]): T[] =>
  items.filter((_, i) => !indexes.includes(i));
const changedEvent = (index: number): RecordedEvent[] =>
  events.map((event, i) => (i === index ? { ...event, storedData: { customerId: 'x' } } : event));

describe('the audit trail', () => {
  it('is correct', async () => {
    expect(await check({ anchors: [anchorAt(2), anchorAt(6)] })).toEqual([]);
    expect(await check({ log: [], trail: [] })).toEqual([]);
  });

  it('may end at the position of the read model', async () => {
    expect(await check({ trail: rows.slice(0, 4), rowsUpTo: 45n })).toEqual([]);
  });

  it.each<[string, Partial<AuditRow>, string]>([
    ['says something else', { actorId: 'usr_x' }, 'actorId is "usr_x" and must be "key_1"'],
    ['has other data', { data: '{"to":1}' }, 'data.to is 1 and must be missing'],
    [
      'has data that is no JSON',
      { data: '{' },
      expect.stringMatching(/^its entry cannot be computed/) as never,
    ],
    ['has another hash', { hash: 'f'.repeat(64) }, 'its hash does not follow from the entry before it'],
    ['has another number', { sequence: '-3' }, 'its number must be 3'],
  ])('has a row that %s', async (_, change, problem) => {
    const [found, ...more] = await check({ trail: withRow(3, change) });
    expect(more).toEqual([]);
    expect(found).toMatch(new RegExp(`^30 audit entry ${change.sequence ?? 3} \\(customer.deleted c\\): `));
    expect(found!.slice(found!.indexOf('): ') + 3)).toEqual(problem);
  });

  it('lacks rows: in the middle, with the others moved up, and at the end', async () => {
    const missing = 'audit entry 3 (CustomerDeleted of customer-acc_1.c): missing';
    expect(await check({ trail: without(rows, 2) })).toEqual([`30 ${missing}`]);
    const movedUp = without(rows, 2).map((row, i) => ({ ...row, sequence: String(i + 1) }));
    expect(await check({ trail: movedUp })).toEqual([`30 ${missing}`]);
    expect(await check({ trail: rows.slice(0, 2) })).toEqual([
      `30 ${missing}, and so with the 3 after it: the trail was cut off`,
    ]);
  });

  it('was cut off and continued from there', async () => {
    const cut = chained(without(events, 2, 3));
    expect(await check({ trail: cut })).toEqual([
      '30 audit entry 3 (CustomerDeleted of customer-acc_1.c): missing, and so with the 1 after it',
    ]);
  });

  it('has additional rows: after the last, and among the others', async () => {
    const forged = { ...rows[5]!, sequence: '7', position: '70', resourceId: 'forged' };
    expect(await check({ trail: [...rows, forged] })).toEqual([
      '70 audit entry 7 (customer.deleted forged): the log has no event for it at its place',
    ]);
    const among = chained([...events.slice(0, 2), { ...events[1]!, position: 25n }, ...events.slice(2)]);
    expect(await check({ trail: among })).toEqual([
      '25 audit entry 3 (customer.deleted b): the log has no event for it at its place',
    ]);
  });

  it('has rows in another order', async () => {
    const swapped = [
      rows[0]!,
      { ...rows[2]!, sequence: '2' },
      { ...rows[1]!, sequence: '3' },
      ...rows.slice(3),
    ];
    expect(await check({ trail: swapped })).toEqual([
      '20 audit entry 2 (CustomerDeleted of customer-acc_1.b): missing',
      '20 audit entry 3 (customer.deleted b): the log has no event for it at its place',
    ]);
  });
});

describe('the audit trail of one workspace', () => {
  it('says nothing of the entries of another workspace', async () => {
    expect(await check({ workspaceId: 'acc_2' })).toEqual([]);
    expect(await check({ workspaceId: 'acc_2', trail: withRow(3, { actorId: 'usr_x' }) })).toEqual([]);
    expect(await check({ workspaceId: 'acc_2', trail: without(rows, 2) })).toEqual([]);
    expect(await check({ workspaceId: 'acc_2', log: without(events, 2) })).toEqual([]);
    const [anchor, ...more] = await check({
      workspaceId: 'acc_2',
      log: changedEvent(2),
      anchors: [anchorAt(6)],
    });
    expect(anchor).toMatch(/^60 audit anchor of entry 6 /);
    expect(anchor).not.toContain('acc_1');
    expect(more).toEqual([]);
  });

  it('lacks a row that was moved to another workspace, where no event belongs to it', async () => {
    const trail = withRow(3, { workspaceId: 'acc_2' });
    expect(await check({ workspaceId: 'acc_1', trail })).toEqual([
      '30 audit entry 3 (CustomerDeleted of customer-acc_1.c): missing',
    ]);
    expect(await check({ workspaceId: 'acc_2', trail })).toEqual([
      '30 audit entry 3 (customer.deleted c): the log has no event for it at its place',
    ]);
  });
});

describe('the log', () => {
  const notMadeOf =
    '30 audit entry 3 (customer.deleted c): the event (CustomerDeleted of customer-acc_1.c) is not the one that it was made of';

  it('has a changed event, which the row and the anchor show, or the anchor alone if the trail was rebuilt', async () => {
    const anchor = (entries: string) =>
      `40 audit anchor of entry 4 (made at 2026-01-01T00:01:00.000Z): does not fit the events: ` +
      `one of entries ${entries} was changed, added or removed since, or the anchor was`;
    const log = changedEvent(2);
    expect(await check({ log })).toEqual([notMadeOf]);
    expect(await check({ log, anchors: [anchorAt(4)] })).toEqual([notMadeOf, anchor('1 to 4')]);
    expect(await check({ log, anchors: [anchorAt(2), anchorAt(4), anchorAt(6)] })).toEqual([
      notMadeOf,
      anchor('3 to 4'),
    ]);
    expect(await check({ log, trail: chained(log), anchors: [anchorAt(4)] })).toEqual([anchor('1 to 4')]);
  });

  it('lacks an event, even the anchored one', async () => {
    const gone = (position: number, customer: string) =>
      `${position} audit entry ${position / 10} (customer.deleted ${customer}): the log has no event for it at its place`;
    expect(await check({ log: without(events, 2), anchors: [anchorAt(2), anchorAt(6)] })).toEqual([
      gone(30, 'c'),
      expect.stringMatching(/^60 audit anchor of entry 6 .* one of entries 3 to 6 was changed/),
    ]);
    const anchors = [anchorAt(3), anchorAt(6)];
    expect(await check({ log: without(events, 2), anchors })).toEqual([
      expect.stringMatching(/^30 audit anchor of entry 3 .* one of entries 1 to 3 was changed/),
      gone(30, 'c'),
    ]);
  });

  it('was cut off, which the rows and the anchors show', async () => {
    expect(await check({ log: events.slice(0, 4), anchors: [anchorAt(4), anchorAt(6)] })).toEqual([
      '50 audit entry 5 (customer.deleted e): the log has no event for it at its place, and so with the 1 after it',
      '60 audit anchor of entry 6 (made at 2026-01-01T00:01:00.000Z): the log ends at entry 4, before the entry of this anchor',
    ]);
  });

  it('may have later anchors that were added after the check began', async () => {
    expect(
      await check({ log: events.slice(0, 5), trail: rows.slice(0, 5), anchors: [anchorAt(6, 70n)] }),
    ).toEqual([]);
  });
});
