import { Decimal, moneyString, roundToCurrency, sumOf } from '#libs/core';
import type { Invoice, LateReading } from '#libs/invoicing';
import { countsTowards, type LateCommitment } from '#libs/rating';
import { sumLeft } from './line-left.js';

/** The minimum commitments that these invoices of one subscription billed, in their order, as they were last counted. */
export function billedCommitments(invoices: readonly Invoice[]): LateCommitment[] {
  return invoices.flatMap((invoice, i) => {
    const { invoiceId, commitment, currency } = invoice;
    if (!commitment) return [];
    const later = invoices.slice(i + 1);
    const last = later
      .flatMap(({ lateCommitments = [] }) => lateCommitments.filter((one) => one.invoiceId === invoiceId))
      .at(-1);
    const lines = [
      sumLeft(
        invoice,
        invoice.lines.filter((line) => line.commitment && line.commitment.invoiceId === undefined),
      ),
      ...later.map((one) =>
        sumLeft(
          one,
          one.lines.filter((line) => line.commitment?.invoiceId === invoiceId),
        ),
      ),
    ];
    const left = roundToCurrency(Decimal.max(sumOf(lines), 0), currency);
    return [
      {
        ...commitment,
        invoiceId,
        counted: last?.recounted ?? commitment.counted,
        atMost: moneyString(left, currency),
      },
    ];
  });
}

/** Those for whose time usage has come late. */
export function commitmentsOf(
  commitments: readonly LateCommitment[],
  late: readonly Pick<LateReading, 'start' | 'end'>[],
): LateCommitment[] {
  return commitments.filter((commitment) =>
    late.some(({ start, end }) => countsTowards({ service: { start, end } }, commitment)),
  );
}
