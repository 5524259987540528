import type { UsageReading } from '#libs/contexts/invoicing';
import {
  needsEvents,
  tallyEvents,
  type EventTally,
  type MeasuredUsage,
  type PriceConfig,
  type PriceSnapshot,
} from '#libs/rating';
import type { Measurement, MeasureRequest, UsageMeters } from '#libs/usage';

/** What was measured, and what was asked for. */
export interface Measured {
  readonly request: MeasureRequest;
  readonly measurement: Measurement;
}

/** What a price is put on: the quantities, and the single events only for a price that looks at them. */
export async function usageFor(
  { config }: PriceSnapshot,
  measured: Measured,
  meters: UsageMeters,
): Promise<MeasuredUsage> {
  const { version, aggregation } = measured.request.definition;
  const { groups, watermark } = measured.measurement;
  const tallies = needsEvents(config) ? await talliesOf(config, measured, meters) : undefined;
  return {
    metricVersion: version,
    groupBy: aggregation.groupBy ?? [],
    groups: groups.map(({ key, quantity }) => ({
      values: key,
      quantity,
      watermark,
      ...(tallies ? { events: tallies.get(JSON.stringify(key)) ?? tallyEvents(config, []) } : {}),
    })),
  };
}

/** By group, as JSON. */
async function talliesOf(
  config: PriceConfig,
  { request, measurement }: Measured,
  meters: UsageMeters,
): Promise<Map<string, EventTally>> {
  const tallies = new Map<string, EventTally>();
  for await (const batch of meters.events(request, measurement.watermark))
    for (const [group, events] of Map.groupBy(batch, ({ key }) => JSON.stringify(key))) {
      const amounts = events.map(({ value }) => value);
      tallies.set(group, tallyEvents(config, amounts, tallies.get(group)));
    }
  return tallies;
}

/** How it was measured, as an invoice notes it. */
export function readingOf({ request, measurement }: Measured): UsageReading {
  const { definition, start, end } = request;
  const { metricId, version } = definition;
  return { metricId, metricVersion: version, start, end, watermark: measurement.watermark };
}
