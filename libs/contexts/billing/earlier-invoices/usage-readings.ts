import { periodMillis } from '#libs/rating';
import type { InvoiceDetails, LateUsageSearchProgress, UsageReading } from '#libs/contexts/invoicing';

/**
 * The readings of usage from which an invoice was computed. Invoices that an earlier version of Countinghouse created have no `readings`,
 * so their readings are taken from the lines.
 */
export function usageReadingsOf({
  readings,
  lines,
}: Pick<InvoiceDetails, 'readings' | 'lines'>): UsageReading[] {
  return (
    readings ??
    lines.flatMap(({ type, metricId, metricVersion, usageWatermark: watermark, periodStart, periodEnd }) =>
      type === 'late_usage' ||
      metricId === undefined ||
      metricVersion === undefined ||
      watermark === undefined
        ? []
        : [{ metricId, metricVersion, start: periodStart, end: periodEnd, watermark }],
    )
  );
}

/** Merges time ranges. The result has one time range for each metric and version, from the first to the last instant. */
export function mergeTimeRanges(
  measured: readonly LateUsageSearchProgress['spans'][number][],
): LateUsageSearchProgress['spans'] {
  const spans = new Map<string, LateUsageSearchProgress['spans'][number]>();
  for (const { metricId, metricVersion, start, end } of measured) {
    if (periodMillis({ start, end }) <= 0) continue;
    const key = `${metricId} ${metricVersion}`;
    const known = spans.get(key) ?? { metricId, metricVersion, start, end };
    spans.set(key, {
      metricId,
      metricVersion,
      start: start < known.start ? start : known.start,
      end: end > known.end ? end : known.end,
    });
  }
  return [...spans.values()];
}

/** The smallest of several positions in the usage log. */
export function earliestPosition(positions: readonly string[]): string {
  return positions.reduce((first, place) => (BigInt(place) < BigInt(first) ? place : first));
}
