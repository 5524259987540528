import { defineDecider } from '#libs/kernel/domain';
import { booksExportEvents, type BooksExportEvent } from '../events.js';

/** An export of the books that was requested. */
export interface RequestedBooksExport {
  exportId: string;
}

export type BooksExportCommand = { type: 'RequestBooksExport' } & BooksExportEvent['data'];

/** Records who requested an export of the books. The metadata of the event contains the actor. Each export has its own stream. */
export const booksExportDecider = defineDecider<RequestedBooksExport, BooksExportCommand, BooksExportEvent>({
  category: 'booksExport',
  events: booksExportEvents,
  decide({ exportId, at, format, since, until }, requested) {
    if (requested !== undefined) return [];
    return [{ type: 'BooksExportRequested', data: { exportId, at, format, since, until } }];
  },
  evolve(_state, { data: { exportId } }) {
    return { exportId };
  },
});
