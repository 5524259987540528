import type { Pool } from 'pg';
import { LogHead, type Watermark } from '../log-head.js';
import { SqlMetrics } from '../sql-metrics/sql-metrics.js';
import { meterDefinitionOf } from './definition.js';
import type { Measurement, MeasureRequest } from './measurement.js';
import { MeterStore } from './meter-store.js';
import { UsageMeters } from './usage-meters.js';

/** Returns the position in the usage log up to which a past measurement read the usage of this request. */
export type PastPositions = (request: MeasureRequest) => Watermark;

/**
 * Measures usage as a past measurement found it: events after its positions in the usage log do not count. Reads only the usage log, and
 * writes nothing.
 */
export class PastUsageMeters extends UsageMeters {
  constructor(
    pool: Pool,
    private readonly positionOf: PastPositions,
  ) {
    super(pool, new MeterStore(pool), new LogHead(pool), new SqlMetrics(pool));
  }

  override measure(request: MeasureRequest): Promise<Measurement> {
    return this.measureAsOf(request, this.positionOf(request));
  }

  override measureAsOfByRollups(request: MeasureRequest, watermark: Watermark): Promise<Measurement> {
    return this.measureAsOf(request, watermark);
  }

  override async checkChangedSince(
    request: MeasureRequest,
    since: Watermark,
  ): Promise<{ changed: boolean; watermark: Watermark }> {
    const watermark = this.positionOf(request);
    if (BigInt(watermark) <= BigInt(since)) return { changed: false, watermark };
    // Events are never deleted, so there are new ones exactly if there are more.
    const counted = { ...request, definition: meterDefinitionOf(request.definition) };
    const [before, after] = await Promise.all([
      this.measureAsOf(counted, since),
      this.measureAsOf(counted, watermark),
    ]);
    return { changed: before.events + before.skipped !== after.events + after.skipped, watermark };
  }
}
