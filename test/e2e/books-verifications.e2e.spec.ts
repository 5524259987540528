import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { UnreadableEvent } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import {
  BooksVerificationStore,
  BooksVerifier,
  type LedgerDifference,
  type LedgerVerification,
  type VerificationObserver,
} from '#libs/outputs/books';
import { advanceClock, createPlan, fee, freezeClock, subscribe } from '../support/plans.js';
import { createPool } from '../support/index.js';
import { startSystem, type System, type TestWorkspace } from '../support/system.js';
import { untilRead } from '../support/until-read.js';

const VERIFICATIONS = '/v1/ledger/verifications';

let system: System;
let pool: pg.Pool;
let workspace: TestWorkspace;
let customerId: string;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  ({ workspace, customerId } = await billedWorkspace());
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A workspace with three invoices of one customer. */
async function billedWorkspace(): Promise<{ workspace: TestWorkspace; customerId: string }> {
  const billed = await system.workspace();
  await freezeClock(billed, '2026-01-01T00:00:00.000Z');
  const planId = await createPlan(billed, fee('Base', 10, { timing: 'in_advance' }));
  const { customerId: id } = await subscribe(billed, planId);
  await advanceClock(billed, '2026-03-15T00:00:00.000Z');
  await untilRead(system);
  return { workspace: billed, customerId: id };
}

async function request(): Promise<string> {
  const { body } = await workspace.http.post(VERIFICATIONS).expect(202);
  expect(body).toMatchObject({ id: expect.stringMatching(/^bvr_/), status: 'pending', differences: null });
  return body.id as string;
}

interface Ended {
  status: string;
  differenceCount: number;
  differences: { position: string | null; subject: string; problem: string }[];
}

async function untilEnded(id: string): Promise<Ended> {
  for (;;) {
    const { body } = await workspace.http.get(`${VERIFICATIONS}/${id}`).expect(200);
    if (body.endedAt !== null) return body as Ended;
  }
}

async function verify(): Promise<Ended> {
  return untilEnded(await request());
}

/** What the verifier of the saga finds in a workspace. `begun` is awaited when the verification begins to read the log. */
async function verificationOf(
  workspaceId: string,
  begun: () => Promise<void> = () => Promise.resolve(),
): Promise<LedgerVerification & { differences: LedgerDifference[] }> {
  const differences: LedgerDifference[] = [];
  const observer: VerificationObserver = {
    begin: begun,
    reach: () => undefined,
    find: (difference) => void differences.push(difference),
  };
  const { signal } = new AbortController();
  const verification = await system.saga.get(BooksVerifier).verify(workspaceId, observer, signal);
  return { ...verification, differences };
}

describe('a verification of the books', () => {
  it('finds nothing in books that agree with the events, and says what it compared', async () => {
    const verification = await verify();
    const { body: audit } = await workspace.session.get('/v1/audit?limit=100').expect(200);
    const [newest] = audit.data as { id: string; hash: string }[];
    expect(verification).toMatchObject({
      status: 'done',
      progress: 1,
      invoices: 3,
      auditEntries: audit.data.length,
      lastAuditEntry: { id: newest!.id, hash: newest!.hash, sequence: expect.any(Number) },
      differenceCount: 0,
      differences: [],
      error: null,
    });
    const { differences: _, ...listed } = verification;
    const { body } = await workspace.http.get(VERIFICATIONS).expect(200);
    expect(body.data).toEqual([listed]);
    // Not even read from the database, because the differences of many verifications are large.
    const [stored] = await system.api
      .get(BooksVerificationStore, { strict: false })
      .list(workspace.workspaceId);
    expect(stored!.result).not.toHaveProperty('differences');
  });

  it('names what differs in its workspace, and nothing of another one', async () => {
    const { workspace: other } = await billedWorkspace();
    const alter = async (of: TestWorkspace) => {
      for (const sql of [
        `UPDATE read.invoices SET amount_due = '11.00' WHERE workspace_id = $1`,
        'DELETE FROM read.ledger_postings WHERE workspace_id = $1',
        `UPDATE read.audit SET action = 'customer.forged' WHERE workspace_id = $1 AND action = 'customer.created'`,
      ])
        expect((await pool.query(sql, [of.workspaceId])).rowCount).toBeGreaterThan(0);
    };
    await alter(other);
    expect(await verify()).toMatchObject({ status: 'done', differenceCount: 0, differences: [] });
    await alter(workspace);
    const { differences, differenceCount } = await verify();
    expect(differenceCount).toBe(differences.length);
    const problems = differences.map(({ subject, problem }) => `${subject}: ${problem}`);
    expect(problems).toContainEqual(
      expect.stringMatching(/^invoice .*: its row differs.*amountDue is "11.00"/),
    );
    expect(problems).toContainEqual(expect.stringMatching(/^ledger entries of invoice .* is missing$/));
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^ledger of acc_.*accounts_receivable on 2026-01-01: 10 USD is shown, but 0 was posted$/,
      ),
    );
    expect(problems).toContainEqual(expect.stringMatching(/action is "customer.forged"/));
    expect(JSON.stringify(differences)).not.toContain(other.workspaceId);
  });

  it('names rows that were moved to another workspace, without naming that workspace', async () => {
    const { workspace: other } = await billedWorkspace();
    const [own, foreign] = [workspace.workspaceId, other.workspaceId];
    await pool.query('UPDATE read.invoices SET workspace_id = $2 WHERE workspace_id = $1', [own, foreign]);
    await pool.query(
      `INSERT INTO read.ledger_postings
       SELECT (jsonb_populate_record(p, jsonb_build_object('id', p.id || '-forged', 'workspace_id', $2::text))).*
       FROM read.ledger_postings p WHERE workspace_id = $1`,
      [own, foreign],
    );
    const of = async ({ workspaceId }: TestWorkspace): Promise<string[]> => {
      const { differences } = await verificationOf(workspaceId);
      return differences.map(({ subject, problem }) => `${subject}: ${problem}`);
    };
    const [found, foundInOther] = [await of(workspace), await of(other)];
    expect(found.filter((text) => text.endsWith(': missing from the list of invoices'))).toHaveLength(3);
    expect(found.filter((text) => text.startsWith('ledger entries'))).toEqual([]);
    expect(found.join()).not.toContain(foreign);
    expect(foundInOther.filter((text) => text.includes('no event created it'))).toHaveLength(3);
    expect(foundInOther).toContainEqual(expect.stringMatching(/^ledger entries of .* that no event posts$/));
  });

  it('compares one state of the read models, even if a rebuild would replace them meanwhile', async () => {
    // Older snapshots do not see the rows that follow a TRUNCATE, nor those of a table that replaces another one.
    const replace = (table: string): Promise<unknown> =>
      inTransaction(pool, (tx) =>
        tx.query(`
          SET LOCAL lock_timeout = '200ms';
          CREATE TEMP TABLE kept ON COMMIT DROP AS TABLE ${table};
          TRUNCATE ${table};
          INSERT INTO ${table} SELECT * FROM kept;`),
      );
    const { differences } = await verificationOf(workspace.workspaceId, async () => {
      for (const table of ['read.invoices', 'read.ledger_postings', 'read.ledger_daily_balances'])
        await replace(table).catch(() => undefined);
    });
    expect(differences).toEqual([]);
  });

  it('ends when the process is shut down, even if the whole log has been read', async () => {
    const shutdown = new AbortController();
    let end = 0n;
    const observer: VerificationObserver = {
      begin: (head) => void (end = head),
      reach: (position) => {
        if (position >= end) shutdown.abort();
      },
      find: () => undefined,
    };
    const verified = system.saga.get(BooksVerifier).verify(workspace.workspaceId, observer, shutdown.signal);
    await expect(verified).rejects.toThrow('aborted');
  });

  it('can be requested again with the same key after it was removed', async () => {
    const requestWithKey = async (): Promise<string> => {
      const { body } = await workspace.http.post(VERIFICATIONS).set('Idempotency-Key', 'monthly').expect(202);
      return body.id as string;
    };
    const id = await requestWithKey();
    await untilEnded(id);
    await pool.query('DELETE FROM idempotency.answers');
    await pool.query('DELETE FROM books.verifications WHERE id = $1', [id]);
    expect(await requestWithKey()).toBe(id);
    const { rows } = await pool.query(`SELECT FROM saga.tasks WHERE payload->>'verificationId' = $1`, [id]);
    expect(rows).toHaveLength(2);
    expect(await untilEnded(id)).toMatchObject({ status: 'done' });
  });

  it('is the only one of its workspace, and begins again if it was interrupted', async () => {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store = system.saga.get(BooksVerificationStore, { strict: false });
    const complete = store.complete.bind(store);
    jest.spyOn(store, 'complete').mockImplementationOnce(async () => {
      held.resolve();
      await released.promise;
      throw new Error('The process ends');
    });
    const runs = jest.spyOn(store, 'begin');
    const id = await request();
    await held.promise;
    expect((await workspace.http.post(VERIFICATIONS).expect(409)).body.code).toBe(
      'books_verification_in_progress',
    );
    const other = await system.workspace();
    await other.http.get(`${VERIFICATIONS}/${id}`).expect(404);
    released.resolve();
    const ended = await untilEnded(id);
    expect(ended).toMatchObject({ status: 'done', differenceCount: 0 });
    expect(runs).toHaveBeenCalledTimes(2);
    // A run that was taken for dead cannot change the result any more.
    await complete({ id, run: 1 }, { differenceCount: 9 } as Parameters<typeof complete>[1]);
    expect(await untilEnded(id)).toEqual(ended);
  });

  it('fails without a word about the events of other workspaces, and leaves the place to another one', async () => {
    const foreign = {
      type: 'InvoiceOpened',
      stream: 'invoice-acc_foreign.inv_1',
      position: 7n,
      metadata: {},
    };
    jest
      .spyOn(system.saga.get(BooksVerifier), 'verify')
      .mockRejectedValueOnce(new UnreadableEvent(foreign as RecordedEvent, new Error('No such version')));
    const failed = await verify();
    expect(failed).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('could not be verified'),
      differences: null,
    });
    expect(JSON.stringify(failed)).not.toMatch(/foreign|InvoiceOpened/);
    expect(await verify()).toMatchObject({ status: 'done' });
  });

  it('is in the audit trail with its caller, and is removed when a customer is erased', async () => {
    const id = await request();
    await untilEnded(id);
    const { body } = await workspace.session.get('/v1/audit?action=books_verification.requested').expect(200);
    expect(body.data).toMatchObject([
      { resourceType: 'books_verification', resourceId: id, actor: { type: 'api_key' } },
    ]);
    await workspace.http
      .post(`/v1/customers/${customerId}/erase`, { reason: 'The person asked', force: true })
      .expect(202);
    let status = 200;
    while (status !== 404) ({ status } = await workspace.http.get(`${VERIFICATIONS}/${id}`));
  });
});
