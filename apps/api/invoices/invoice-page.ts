import { InvalidRequest } from '#libs/core';
import type { InvoiceListQuery } from './invoice-request.dto.js';

const DEFAULT_SIZE = 20;

/** Which invoices of the list are asked for, and how the answer says so. */
export interface InvoicePage {
  limit: number;
  offset: number;
  page: number;
}

/** Reads either way of paging. InvalidRequest for a mixture of the two, which could only be a mistake. */
export function invoicePage(query: InvoiceListQuery): InvoicePage {
  const byOffset = query.limit !== undefined || query.offset !== undefined;
  if (byOffset && (query.page !== undefined || query.page_size !== undefined))
    throw InvalidRequest.field(
      query.limit === undefined ? 'offset' : 'limit',
      'cannot be combined with page or page_size; use page and page_size, or limit and offset',
    );
  const limit = query.limit ?? query.page_size ?? DEFAULT_SIZE;
  const offset = query.offset ?? ((query.page ?? 1) - 1) * limit;
  return { limit, offset, page: Math.floor(offset / limit) + 1 };
}
