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

/** A measurement of usage with its request. */
export interface RequestedMeasurement {
  readonly request: MeasureRequest;
  readonly measurement: Measurement;
}

/**
 * Returns the usage to which a price is applied. The result contains the quantities. If the price depends on single events, the result also
 * contains totals of the events: see {@link EventTally}.
 */
export async function usageForPrice(
  { config }: PriceSnapshot,
  measured: RequestedMeasurement,
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

/** The totals of the events of each usage group. The key of a group is the JSON of its values. */
async function talliesOf(
  config: PriceConfig,
  { request, measurement }: RequestedMeasurement,
  meters: UsageMeters,
): Promise<Map<string, EventTally>> {
  const tallies = new Map<string, EventTally>();
  for await (const batch of meters.eventValues(request, measurement.watermark))
    for (const [group, events] of Map.groupBy(batch, ({ key }) => JSON.stringify(key))) {
      const amounts = events.map(({ value }) => value);
      tallies.set(group, tallyEvents(config, amounts, tallies.get(group)));
    }
  return tallies;
}

/** Converts a measurement to the reading that an invoice stores. */
export function usageReadingOf({ request, measurement }: RequestedMeasurement): UsageReading {
  const { definition, start, end } = request;
  const { metricId, version } = definition;
  return { metricId, metricVersion: version, start, end, watermark: measurement.watermark };
}
