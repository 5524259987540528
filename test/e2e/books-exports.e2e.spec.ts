import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { PersonalDataVault } from '#libs/kernel/event-store';
import { LedgerStopped } from '#libs/contexts/ledger';
import { BooksExporter, BooksExportStore } from '#libs/outputs/books';
import { advanceClock, createPlan, fee, freezeClock, subscribe } from '../support/plans.js';
import { untilErased } from '../support/erasure.js';
import { startSystem, type System, type TestWorkspace } from '../support/system.js';
import { until } from '../support/until.js';
import { exportFormatNamed } from '../../apps/cli/ledger/export-format-named.js';
import { readLedgerExtract } from '../../apps/cli/ledger/read-ledger-extract.js';

const EXPORTS = '/v1/ledger/exports';

interface Asked {
  format: string;
  since?: string;
  until?: string;
}

let system: System;
let workspace: TestWorkspace;
let customerId: string;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const planId = await createPlan(workspace, fee('Seats, type: annual', 10, { timing: 'in_advance' }));
  ({ customerId } = await subscribe(workspace, planId));
  await advanceClock(workspace, '2026-04-15T00:00:00.000Z');
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function request(body: object): Promise<string> {
  const { body: made } = await workspace.http.post(EXPORTS, body).expect(202);
  expect(made).toMatchObject({ id: expect.stringMatching(/^bex_/), error: null, ...body });
  return made.id as string;
}

async function untilEnded(id: string): Promise<Record<string, unknown>> {
  const { body } = await until(
    () => workspace.http.get(`${EXPORTS}/${id}`).expect(200),
    (answer) => answer.body.endedAt !== null,
  );
  return body as Record<string, unknown>;
}

async function fileOf(id: string): Promise<string> {
  const { body, text } = await workspace.http.get(`${EXPORTS}/${id}/file`).buffer(true).expect(200);
  return typeof text === 'string' ? text : (body as Buffer).toString();
}

/** What the command writes for the same range of time. */
async function commandWrites(format: string, range: { from?: string; to?: string }): Promise<string> {
  const keys = new PersonalDataVault(system.api.get(Pool, { strict: false }));
  const extract = await readLedgerExtract(
    { workspace: workspace.workspaceId, ...range },
    { EVENTSTORE_URL: system.node.url },
    keys,
  );
  return [...exportFormatNamed(format)(extract)].join('');
}

describe('an export of the books', () => {
  it('is made in the background, and is the file that the command writes', async () => {
    const whole = { to: '2026-04-15T00:00:00.001Z' };
    const exports: [asked: Asked, range: { from?: string; to: string }][] = [
      [{ format: 'hledger' }, whole],
      [{ format: 'beancount' }, whole],
      [{ format: 'json' }, whole],
      [{ format: 'csv' }, whole],
      [
        { format: 'csv', since: '2026-02-01', until: '2026-02-28' },
        { from: '2026-02-01', to: '2026-03-01' },
      ],
      [{ format: 'csv', until: '2026-02-10T12:00:00.000Z' }, { to: '2026-02-10T12:00:00.001Z' }],
    ];
    for (const [asked, range] of exports) {
      const id = await request(asked);
      const ended = await untilEnded(id);
      const file = await fileOf(id);
      expect(file).toBe(await commandWrites(asked.format, range));
      expect(file).toContain('INV-');
      expect(ended).toMatchObject({
        status: 'done',
        progress: 1,
        bytes: Buffer.byteLength(file),
        transactions: expect.any(Number),
        expiresAt: expect.any(String),
      });
    }
    const { body } = await workspace.http.get(EXPORTS).expect(200);
    expect(body.data).toHaveLength(exports.length);
  });

  it('is the only one of its workspace, and is made again from the beginning if it was interrupted', async () => {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store = system.saga.get(BooksExportStore, { strict: false });
    const complete = store.complete.bind(store);
    jest.spyOn(store, 'complete').mockImplementationOnce(async () => {
      held.resolve();
      await released.promise;
      throw new Error('The process ends');
    });
    const runs = jest.spyOn(store, 'begin');
    const id = await request({ format: 'csv' });
    await held.promise;
    const { body } = await workspace.http.get(`${EXPORTS}/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'running', transactions: null, endedAt: null });
    expect((await workspace.http.get(`${EXPORTS}/${id}/file`).expect(409)).body.code).toBe(
      'books_export_not_done',
    );
    expect((await workspace.http.post(EXPORTS, { format: 'csv' }).expect(409)).body.code).toBe(
      'books_export_in_progress',
    );
    const other = await system.workspace();
    await other.http.get(`${EXPORTS}/${id}`).expect(404);
    await other.http.get(`${EXPORTS}/${id}/file`).expect(404);
    released.resolve();
    const ended = await untilEnded(id);
    expect(ended).toMatchObject({ status: 'done' });
    expect(runs).toHaveBeenCalledTimes(2);
    expect(await fileOf(id)).toBe(await commandWrites('csv', { to: '2026-04-15T00:00:00.001Z' }));
    // A run that was taken for dead cannot change the file any more.
    await complete({ id, run: 1 }, { transactions: 0, bytes: 0 });
    expect(await untilEnded(id)).toEqual(ended);
  });

  it('is in the audit trail with its caller, unless it was refused', async () => {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store = system.saga.get(BooksExportStore, { strict: false });
    const find = store.find.bind(store);
    jest.spyOn(store, 'find').mockImplementationOnce(async (exportId) => {
      held.resolve();
      await released.promise;
      return find(exportId);
    });
    const id = await request({ format: 'csv', until: '2026-03-31' });
    await held.promise;
    await workspace.http.post(EXPORTS, { format: 'json' }).expect(409);
    released.resolve();
    await untilEnded(id);
    const { body } = await workspace.session.get('/v1/audit?action=books_export.requested').expect(200);
    expect(body.data).toMatchObject([
      {
        resourceType: 'books_export',
        resourceId: id,
        actor: { type: 'api_key' },
        data: { format: 'csv', since: null, until: '2026-03-31' },
      },
    ]);
  });

  it('fails with its reason if the books cannot be made, and leaves the place to another one', async () => {
    const exporter = system.saga.get(BooksExporter, { strict: false });
    jest
      .spyOn(exporter, 'makeFile')
      .mockRejectedValueOnce(new LedgerStopped('InvoiceOpened is out of balance'));
    const id = await request({ format: 'json' });
    expect(await untilEnded(id)).toMatchObject({
      status: 'failed',
      error: 'InvoiceOpened is out of balance',
      bytes: null,
    });
    await workspace.http.get(`${EXPORTS}/${id}/file`).expect(409);
    expect(await untilEnded(await request({ format: 'json' }))).toMatchObject({ status: 'done' });
  });

  it('is removed when a customer of the workspace is erased', async () => {
    const id = await request({ format: 'hledger' });
    await untilEnded(id);
    expect(await fileOf(id)).toContain('Northwind Ltd');
    await workspace.http
      .post(`/v1/customers/${customerId}/erase`, { reason: 'The person asked', force: true })
      .expect(202);
    await untilErased(system, workspace, customerId);
    await workspace.http.get(`${EXPORTS}/${id}/file`).expect(404);
    const again = await request({ format: 'hledger' });
    await untilEnded(again);
    expect(await fileOf(again)).not.toContain('Northwind Ltd');
  });

  it('is not found if it is removed before its first part is read', async () => {
    const id = await request({ format: 'csv' });
    await untilEnded(id);
    const store = system.api.get(BooksExportStore, { strict: false });
    const find = store.find.bind(store);
    jest.spyOn(store, 'find').mockImplementationOnce(async (exportId) => {
      const found = await find(exportId);
      await store.removeOfWorkspace(workspace.workspaceId);
      return found;
    });
    const { body } = await workspace.http.get(`${EXPORTS}/${id}/file`).expect(404);
    expect(body.code).toBe('books_export_not_found');
  });

  it('breaks the connection of a download if it is removed between two of its parts', async () => {
    const id = await request({ format: 'csv' });
    await untilEnded(id);
    const pool = system.api.get(Pool, { strict: false });
    await pool.query(
      `INSERT INTO books.parts (export_id, run, number, content) SELECT export_id, run, 1, 'more' FROM books.parts WHERE export_id = $1`,
      [id],
    );
    await pool.query('UPDATE books.exports SET bytes = bytes + 4 WHERE id = $1', [id]);
    expect(await fileOf(id)).toMatch(/more$/);
    const store = system.api.get(BooksExportStore, { strict: false });
    const openFile = store.openFile.bind(store);
    jest.spyOn(store, 'openFile').mockImplementationOnce(async (found) => {
      const parts = await openFile(found);
      await store.removeOfWorkspace(workspace.workspaceId);
      return parts;
    });
    await expect(fileOf(id)).rejects.toThrow('aborted');
  });

  it('is refused with an unknown format, and with an end before its beginning', async () => {
    const refused = async (body: object) =>
      (await workspace.http.post(EXPORTS, body).expect(400)).body.details;
    expect(await refused({ format: 'xls' })).toMatchObject([{ field: 'format' }]);
    expect(await refused({ format: 'csv', since: '2026-02-01', until: '2026-01-01' })).toMatchObject([
      { field: 'until' },
    ]);
  });
});
