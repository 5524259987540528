import { Decimal } from '#libs/kernel/core';
import type { LateUsageReading } from '#libs/contexts/invoicing';
import type { CommitmentWithLateUsage } from '#libs/rating';
import { isReadingOfCharge, type BilledUsage } from './billed-usage.js';

/**
 * Checks the readings of late usage against the earlier invoices. Each reading must begin at the position where the earlier invoices
 * stopped counting, and must occur only once. Returns the problems.
 */
export function lateUsageProblems(
  late: readonly LateUsageReading[],
  billed: readonly BilledUsage[],
): string[] {
  return late.flatMap((reading, i) => {
    const name = `late usage of ${reading.priceId} from ${reading.start} to ${reading.end}`;
    const usage = billed.find(({ invoiceId, charge }) => isReadingOfCharge(reading, invoiceId, charge));
    if (!usage) return [`${name} was billed, but invoice ${reading.invoiceId} did not bill that time`];
    const problems: string[] = [];
    if (late.slice(0, i).some((one) => isReadingOfCharge(one, usage.invoiceId, usage.charge)))
      problems.push(`${name} was billed twice`);
    if (usage.since !== reading.since)
      problems.push(
        `${name} was billed from position ${reading.since} of the usage log, but it had been billed up to position ${usage.since}`,
      );
    const { metricVersion, billedVersion = metricVersion } = reading;
    if (usage.metricVersion !== billedVersion)
      problems.push(
        `${name} was billed as counted by version ${billedVersion} of the metric, but it had been counted by version ${usage.metricVersion}`,
      );
    if (BigInt(reading.watermark) < BigInt(reading.since))
      problems.push(`${name} was counted up to ${reading.watermark}, before ${reading.since}`);
    if (new Decimal(reading.atMost).isNegative())
      problems.push(`${name} has a negative remaining amount: ${reading.atMost}`);
    return problems;
  });
}

/**
 * Checks the recounted minimum commitments. Each recounted commitment must start from the amounts that were counted last, and no commitment
 * with late usage may be missing. Returns the problems.
 */
export function lateCommitmentProblems(
  late: readonly CommitmentWithLateUsage[],
  billed: readonly CommitmentWithLateUsage[],
): string[] {
  const name = ({ invoiceId }: CommitmentWithLateUsage) => `the minimum commitment of invoice ${invoiceId}`;
  return [
    ...billed
      .filter((one) => !late.some(({ invoiceId }) => invoiceId === one.invoiceId))
      .map((one) => `${name(one)} was not counted again with its late usage`),
    ...late.flatMap((one) => {
      const must = billed.find(({ invoiceId }) => invoiceId === one.invoiceId);
      if (!must) return [`${name(one)} was counted again, but its interval has no late usage`];
      const differs = (['due', 'counted'] as const).filter(
        (field) => !new Decimal(must[field]).eq(one[field]),
      );
      return differs.map(
        (field) => `${name(one)} was counted again from ${field} ${one[field]}, but it was ${must[field]}`,
      );
    }),
  ];
}
