import { describe, expect, it, jest } from '@jest/globals';
import type { EventFeed } from '#libs/kernel/event-store';
import type { BooksExport } from './books-export.js';
import { BooksExporter } from './books-exporter.js';
import type { BooksExportStore } from './books-export-store.js';

describe('an export that is being made', () => {
  it('ends its reading when the process is shut down, and is not taken for whole', async () => {
    const complete = jest.fn<BooksExportStore['complete']>();
    const begin = () => Promise.resolve({ id: 'bex_1', run: 1 });
    const reading = Promise.withResolvers<void>();
    async function* history(...[, , signal]: Parameters<EventFeed['history']>) {
      reading.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield* [];
    }
    const exporter = new BooksExporter(
      { begin, complete } as unknown as BooksExportStore,
      { readHead: () => Promise.resolve(9n), history } as unknown as EventFeed,
    );
    const asked = { id: 'bex_1', workspaceId: 'own', format: 'csv', since: null, until: null };
    const made = exporter.makeFile({ ...asked, last: '2026-01-01T00:00:00.000Z' } as BooksExport);
    await reading.promise;
    exporter.onModuleDestroy();
    await expect(made).rejects.toThrow('aborted');
    expect(complete).not.toHaveBeenCalled();
  });
});
