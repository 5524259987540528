import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { booksExportDecider } from './books-export-requests.js';
import type { BooksExportEvent } from '../events.js';

const { given } = decide(booksExportDecider);
const requested: BooksExportEvent = {
  type: 'BooksExportRequested',
  data: {
    exportId: 'bex_1',
    at: '2026-01-01T00:00:00.000Z',
    format: 'csv',
    since: null,
    until: '2025-12-31',
  },
};

describe('the record of a requested export of the books', () => {
  it('has what was asked for, once', () => {
    const command = { type: 'RequestBooksExport', ...requested.data } as const;
    given().when(command).then(requested);
    given(requested).when(command).then();
  });
});
