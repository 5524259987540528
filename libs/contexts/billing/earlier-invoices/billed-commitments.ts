import type { Invoice, LateUsageReading } from '#libs/contexts/invoicing';
import { countsTowardsCommitment, type CommitmentWithLateUsage } from '#libs/rating';
import { sumOfRemainingAmounts, sourceLinesCreditableBy } from './source-lines.js';

/**
 * The minimum commitments that these invoices of one subscription have billed, in the order of the invoices. `counted` is the sum of the
 * charges that count towards a commitment, as the newest invoice computed it. `sources` are the lines that billed the amount missing to the
 * minimum, in the order of `BilledUsage.sources`. `laterInvoiceId` is the invoice that can give back amounts of these lines.
 */
export function billedCommitments(
  invoices: readonly Invoice[],
  laterInvoiceId: string,
): CommitmentWithLateUsage[] {
  return invoices.flatMap((invoice, i) => {
    const { invoiceId, commitment, currency } = invoice;
    if (!commitment) return [];
    const since = invoices.slice(i);
    const last = since
      .flatMap(({ lateCommitments = [] }) => lateCommitments.filter((one) => one.invoiceId === invoiceId))
      .at(-1);
    const sources = since.toReversed().flatMap((one) =>
      sourceLinesCreditableBy(laterInvoiceId, one, ({ commitment: of }) => {
        if (!of) return false;
        return one === invoice ? of.invoiceId === undefined : of.invoiceId === invoiceId;
      }),
    );
    return [
      {
        ...commitment,
        invoiceId,
        counted: last?.recounted ?? commitment.counted,
        atMost: sumOfRemainingAmounts(sources, currency),
        sources,
      },
    ];
  });
}

/** The minimum commitments whose interval has late usage. */
export function commitmentsWithLateUsage(
  commitments: readonly CommitmentWithLateUsage[],
  late: readonly Pick<LateUsageReading, 'start' | 'end'>[],
): CommitmentWithLateUsage[] {
  return commitments.filter((commitment) =>
    late.some(({ start, end }) => countsTowardsCommitment({ service: { start, end } }, commitment)),
  );
}
