import { InvalidRequest } from '#libs/kernel/core';
import type { PageRequest } from '../http/index.js';
import type { InvoiceListQuery } from './invoice-request.dto.js';

const DEFAULT_SIZE = 20;

/** The requested page of the invoice list, with the page number that the response shows. */
export interface InvoiceListPage extends PageRequest {
  page: number;
}

/**
 * Reads the requested page of the invoice list: by `page` and `page_size`, or by `limit` with `offset` or `after`. Throws InvalidRequest if
 * a query mixes `page` or `page_size` with `limit`, `offset` or `after`.
 */
export function readInvoiceListPage(query: InvoiceListQuery): InvoiceListPage {
  const byOffset = query.limit !== undefined || query.offset !== undefined || query.after !== undefined;
  if (byOffset && (query.page !== undefined || query.page_size !== undefined))
    throw InvalidRequest.field(
      query.limit !== undefined ? 'limit' : query.offset !== undefined ? 'offset' : 'after',
      'cannot be combined with page or page_size; use page and page_size, or limit with offset or after',
    );
  const limit = query.limit ?? query.page_size ?? DEFAULT_SIZE;
  const offset = query.offset ?? ((query.page ?? 1) - 1) * limit;
  return { limit, offset, after: query.after, page: Math.floor(offset / limit) + 1 };
}
