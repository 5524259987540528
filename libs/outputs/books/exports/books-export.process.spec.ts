import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UnreadableEvent } from '#libs/kernel/event-store';
import type { Task } from '#libs/kernel/saga';
import type { Logger } from '#libs/kernel/system';
import { LedgerStopped } from '#libs/contexts/ledger';
import { BooksExportProcess } from './books-export.process.js';
import type { BooksExporter } from './books-exporter.js';
import type { BooksExportStore } from './books-export-store.js';

const fail = jest.fn<BooksExportStore['fail']>();
const makeFile = jest.fn<BooksExporter['makeFile']>();
const warn = jest.fn<(facts: object, message: string) => void>();
const find = () => Promise.resolve({ id: 'bex_1', workspaceId: 'own', endedAt: null });

beforeEach(() => {
  jest.resetAllMocks();
});

async function perform(attempt: number): Promise<void> {
  const process = new BooksExportProcess(
    { find, fail } as unknown as BooksExportStore,
    { makeFile } as unknown as BooksExporter,
    { warn } as unknown as Logger,
  );
  const task: Task = {
    id: 'task',
    name: 'export',
    workspaceId: 'own',
    payload: { exportId: 'bex_1' },
    dueAt: '1970-01-01T00:00:00.000Z',
    clock: 'system',
    attempt,
    eventId: 'bex_1',
    eventAt: null,
    correlationId: 'request',
  };
  await process.perform(task);
}

/** The reason that the API shows. */
function shownReason(): string {
  expect(fail).toHaveBeenCalledTimes(1);
  return fail.mock.calls[0]![1];
}

describe('an export that cannot be made', () => {
  it('shows nothing about the events of other workspaces, and logs it', async () => {
    const foreign = {
      type: 'InvoiceOpened',
      id: 'foreign-event',
      stream: 'invoice-foreign.inv_1',
      position: 7n,
    } as ConstructorParameters<typeof UnreadableEvent>[0];
    makeFile.mockRejectedValue(new UnreadableEvent(foreign, new Error('No such version')));
    await perform(1);
    expect(shownReason()).not.toMatch(/foreign|InvoiceOpened|No such version/);
    expect(JSON.stringify(warn.mock.calls)).toContain('invoice-foreign.inv_1');
  });

  it('shows no message of the database after its last attempt', async () => {
    makeFile.mockRejectedValue(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
    await expect(perform(19)).rejects.toThrow('ECONNREFUSED');
    expect(fail).not.toHaveBeenCalled();
    await perform(20);
    expect(shownReason()).not.toMatch(/ECONNREFUSED|10\.0/);
    expect(JSON.stringify(warn.mock.calls)).toContain('ECONNREFUSED');
  });

  it('shows which event of its workspace stops the ledger', async () => {
    makeFile.mockRejectedValue(new LedgerStopped('InvoiceOpened (event e1) is out of balance'));
    await perform(1);
    expect(shownReason()).toBe('InvoiceOpened (event e1) is out of balance');
  });

  it('is not tried again after its attempts, if each of them ended its process', async () => {
    await perform(20);
    expect(makeFile).toHaveBeenCalledTimes(1);
    await perform(21);
    expect(makeFile).toHaveBeenCalledTimes(1);
    expect(shownReason()).toContain('could not be made');
  });
});
