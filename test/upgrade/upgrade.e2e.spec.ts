import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endCommands } from '../support/command.js';
import { isEmbedded } from '../support/index.js';
import { answerTo } from './answers.js';
import { eventTypesIn } from './event-log.js';
import { signIn } from './history/index.js';
import { httpTo, type Http } from './http.js';
import { instanceIn, type Instance } from './instance.js';
import { backupOf, keptVersions, readKept, type Kept } from './kept.js';

const LIMIT_MILLIS = 240_000;
/** Requests at once. */
const READERS = 4;

/** A backup has the log of the embedded node alone. */
const describeVersions = isEmbedded ? describe.each : describe.skip.each;

describeVersions(keptVersions())('the data of version %s', (version) => {
  let folder: string;
  let dataDir: string;
  let instance: Instance;
  let kept: Kept;
  let http: Http;
  let restored: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
    dataDir = join(folder, 'data');
    instance = await instanceIn(dataDir);
    kept = await readKept(version);
    restored = await instance.command('restore', backupOf(version));
    await instance.start();
  }, LIMIT_MILLIS);
  afterAll(async () => {
    await endCommands();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the answers do not say any more, or say otherwise, each with its place. */
  async function changedAnswers(): Promise<string[]> {
    const changed: string[] = [];
    const waiting = kept.answers.values();
    const reader = async (): Promise<void> => {
      for (const request of waiting)
        changed.push(...changesFrom(request.answer, await answerTo(http, request), request.path));
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    return changed;
  }

  it('is restored, and its ledger is as its events say', () => {
    expect(restored).toMatch(/Everything agrees with the events\n$/);
  });

  it('has every event, each of which can be read', async () => {
    const found = await eventTypesIn(dataDir);
    // Some come by themselves once the instance runs: anchors of the audit trail, and reports of usage that is not counted.
    const lost = Object.entries(kept.events).filter(([type, count]) => (found[type] ?? 0) < count);
    expect(lost).toEqual([]);
  });

  it(
    'is answered for as that version did',
    async () => {
      http = await signIn(instance.url, kept.access);
      expect(await changedAnswers()).toEqual([]);
    },
    LIMIT_MILLIS,
  );

  it(
    'comes to the same read models and the same ledger when they are made anew',
    async () => {
      await instance.command('projections', 'rebuild', '--all');
      // Whether the ledger is as its events say is asked once, when more is in it (below).
      expect(await changedAnswers()).toEqual([]);
    },
    LIMIT_MILLIS,
  );

  it(
    'can be billed on, with its API key: the next month comes by itself',
    async () => {
      const before = (await http.all('/v1/invoices')).length;
      const key = httpTo(instance.url, kept.access.apiKey);
      await key.post('/v1/sandbox/clock/advance', { to: '2026-05-02T06:00:00Z' });
      expect((await key.all('/v1/invoices')).length).toBeGreaterThan(before);
      // The subscriptions of that version are accrued from the month of the upgrade on. What was posted before stays as it was.
      const summary = await key.get('/v1/revenue/summary?from=2026-03&to=2026-04&currency=USD');
      expect((summary.data as { unbilled: number }[]).map(({ unbilled }) => unbilled > 0)).toEqual([
        false,
        true,
      ]);
      expect(await instance.command('ledger', 'verify')).toMatch(/Everything agrees with the events\n$/);
    },
    LIMIT_MILLIS,
  );
});

/**
 * What `before` says and `now` does not, each with its place. Objects may have more fields by now; lists have the same entries in the same
 * order. Only a list of ledger accounts may have more of them, because the chart of accounts can grow.
 */
function changesFrom(before: unknown, now: unknown, place: string): string[] {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null)
    return before === now ? [] : [`${place}: ${JSON.stringify(before)}, now ${JSON.stringify(now)}`];
  if (Array.isArray(before) && Array.isArray(now) && before.some(isAccount))
    return changesFrom(
      Object.fromEntries(before.map(byAccount)),
      Object.fromEntries(now.map(byAccount)),
      place,
    );
  if (Array.isArray(before) && Array.isArray(now) && before.length !== now.length)
    return [`${place}: ${before.length} entries, now ${now.length}`];
  return Object.entries(before).flatMap(([name, value]) =>
    changesFrom(value, (now as Record<string, unknown>)[name], `${place} ${name}`),
  );
}

interface Account {
  account: string;
  priceId: string | null;
}

function isAccount(entry: unknown): entry is Account {
  return typeof entry === 'object' && entry !== null && 'account' in entry && 'debit' in entry;
}

function byAccount(entry: Account): [string, Account] {
  return [`${entry.account} ${entry.priceId ?? ''}`, entry];
}
