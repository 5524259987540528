import { NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';
import type { RevenueAccrualEvent } from './accruals/events.js';
import { accrualPostings } from './accruals/postings.js';
import type { RevenueMonthEvent } from './closing/events.js';

/** The posting rules of revenue. The closing of a month has no postings. */
export const postings: PostingRules<RevenueAccrualEvent | RevenueMonthEvent> = {
  ...accrualPostings,
  RevenueMonthClosed: NO_POSTINGS,
};
