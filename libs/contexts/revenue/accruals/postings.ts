import { creditPosting, debitPosting, type Posting, type PostingRules } from '#libs/contexts/ledger';
import type { PriceRevenue } from '#libs/contexts/invoicing';
import type { RevenueAccrualEvent } from './events.js';

/**
 * An accrual is posted at the last instant of its month, so that usage becomes revenue of the month in which it happened. An accrual is
 * reversed when the next bill is expected, because the invoice of that bill posts the same revenue.
 */
export const accrualPostings: PostingRules<RevenueAccrualEvent> = {
  RevenueAccrued: ({ data: { at, timezone, month, lines, reversal } }) => ({
    book: undefined,
    now: {
      at,
      timezone,
      description: `Revenue of ${month} that is not invoiced`,
      postings: accrualLines(lines, 'accrued'),
    },
    cancelsScheduled: true,
    schedules: [
      {
        at: reversal.at,
        timezone,
        description: `Revenue of ${month} that was not invoiced, reversed`,
        postings: accrualLines(reversal.lines, 'reversed'),
      },
    ],
  }),
};

function accrualLines(lines: readonly PriceRevenue[], course: 'accrued' | 'reversed'): Posting[] {
  const [debit, credit] =
    course === 'accrued' ? [debitPosting, creditPosting] : [creditPosting, debitPosting];
  return [
    ...lines.map(({ priceId, amount }) => debit('unbilled_receivables', amount, priceId)),
    ...lines.map(({ priceId, amount }) => credit('revenue', amount, priceId)),
  ];
}
