import { describe, expect, it } from '@jest/globals';
import { readInvoiceListPage } from './invoice-list-page.js';

describe('the page of an invoice list', () => {
  it('is the first twenty unless something else is asked for', () => {
    expect(readInvoiceListPage({})).toEqual({ limit: 20, offset: 0, page: 1 });
    expect(readInvoiceListPage({ page: 3 })).toEqual({ limit: 20, offset: 40, page: 3 });
    expect(readInvoiceListPage({ page: 3, page_size: 50 })).toEqual({ limit: 50, offset: 100, page: 3 });
  });

  it('can be named by limit and offset', () => {
    expect(readInvoiceListPage({ limit: 10 })).toEqual({ limit: 10, offset: 0, page: 1 });
    expect(readInvoiceListPage({ offset: 45 })).toEqual({ limit: 20, offset: 45, page: 3 });
  });

  it('cannot be named both ways', () => {
    expect(() => readInvoiceListPage({ page: 2, offset: 5 })).toThrow('offset');
    expect(() => readInvoiceListPage({ page_size: 2, limit: 5 })).toThrow('limit');
  });
});
