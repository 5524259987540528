import { describe, expect, it } from '@jest/globals';
import { invoicePage } from './invoice-list-page.js';

describe('the page of an invoice list', () => {
  it('is the first twenty unless something else is asked for', () => {
    expect(invoicePage({})).toEqual({ limit: 20, offset: 0, page: 1 });
    expect(invoicePage({ page: 3 })).toEqual({ limit: 20, offset: 40, page: 3 });
    expect(invoicePage({ page: 3, page_size: 50 })).toEqual({ limit: 50, offset: 100, page: 3 });
  });

  it('can be named by limit and offset', () => {
    expect(invoicePage({ limit: 10 })).toEqual({ limit: 10, offset: 0, page: 1 });
    expect(invoicePage({ offset: 45 })).toEqual({ limit: 20, offset: 45, page: 3 });
  });

  it('cannot be named both ways', () => {
    expect(() => invoicePage({ page: 2, offset: 5 })).toThrow('offset');
    expect(() => invoicePage({ page_size: 2, limit: 5 })).toThrow('limit');
  });
});
