import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '#libs/kernel/postgres';
import type { LogHead, Watermark } from '../../log-head.js';
import type { MeterStore } from '../meter-store.js';
import {
  runAsOnlyMeterBuild,
  findLiveMeters,
  getOrCreateSecondMeter,
  watermarkOf,
  type LiveMeter,
} from './live-meters.js';
import { MeterRebuild, type MeterBuildOptions } from './meter-rebuild.js';
import { dropMeter } from './old-meters.js';

/**
 * An hour of a customer's usage in which a meter and the usage log have different values. A value is null if the meter or the log has no
 * such hour.
 */
export interface MeterDifference {
  readonly customerId: string;
  /** The start of the hour, as Postgres writes a timestamp. */
  readonly hour: string;
  /** The values of the `groupBy` properties, as JSON text. */
  readonly group: string;
  /** What the live meter contains for this hour, as text: events, skipped events, quantity and distinct values. */
  readonly live: string | null;
  /** What the usage log yields for this hour, in the form of `live`. */
  readonly expected: string | null;
}

/** The result of comparing a meter with the usage log. */
export interface MeterComparison {
  readonly workspaceId: string;
  readonly eventName: string;
  /** The type of the meter's aggregation, such as `sum`. */
  readonly aggregation: string;
  /** The position in the usage log up to which the meter and the log were compared. */
  readonly watermark: Watermark;
  /** The number of compared hours, counted for each customer and group. */
  readonly hours: number;
  /** The number of these hours that differ. */
  readonly differences: number;
  /** The earliest differences, at most as many as the caller asked for. The JSON of `usage rebuild-meters` has this name. */
  readonly first: MeterDifference[];
}

/** Compares meters with the usage log. */
export class MeterVerification {
  private readonly rebuild: MeterRebuild;

  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    head: LogHead,
  ) {
    this.rebuild = new MeterRebuild(pool, meters, head);
  }

  /**
   * Folds the usage log into a copy of each meter, and compares meter and copy hour by hour, at one position in the log. The live meter is
   * blocked only while the last few events are folded. Throws {@link MetersBusy} and {@link MeterFoldFailed}.
   *
   * @param shown the maximum number of listed differences for each meter
   */
  async run(shown: number, options: MeterBuildOptions): Promise<MeterComparison[]> {
    return runAsOnlyMeterBuild(this.pool, async () => {
      const live = await findLiveMeters(this.pool, options.workspaceId);
      try {
        // An earlier verification may have left copies of meters. The copies are dropped, because the log may have changed since then.
        await this.dropChecks(live);
        await this.rebuild.fold(live, 'check', options);
        const compared: MeterComparison[] = [];
        for (const meter of live) compared.push(await this.compare(meter, shown));
        return compared;
      } finally {
        await this.dropChecks(live);
      }
    });
  }

  private async compare(live: LiveMeter, shown: number): Promise<MeterComparison> {
    const check = await getOrCreateSecondMeter(this.pool, live, 'check');
    return inTransaction(this.pool, async (reader) => {
      await reader.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const watermark = await this.snapshotAtSamePosition(reader, live, check);
      const found = await differencesOf(reader, live.id, check.id, shown);
      const { workspaceId, eventName, aggregation } = live;
      return { workspaceId, eventName, aggregation: aggregation.type, watermark, ...found };
    });
  }

  /**
   * Folds the live meter and its copy up to the same position in the log. Begins the snapshot of the transaction `reader` there, so that
   * `reader` sees both at that position.
   */
  private async snapshotAtSamePosition(
    reader: PoolClient,
    live: LiveMeter,
    check: Awaited<ReturnType<typeof getOrCreateSecondMeter>>,
  ): Promise<Watermark> {
    // The live meter can be behind its copy.
    const begun = await watermarkOf(this.pool, check);
    while (await this.meters.foldNext(live, begun, 'wait'));
    return inTransaction(this.pool, async (holder) => {
      const reached = await watermarkOf(holder, live, true);
      await this.rebuild.foldUpTo(live, check, reached);
      await reader.query('SELECT 1');
      return reached;
    });
  }

  private async dropChecks(live: readonly LiveMeter[]): Promise<void> {
    for (const { key } of live) await inTransaction(this.pool, (tx) => dropMeter(tx, key, 'check'));
  }
}

/**
 * Selects the content of a meter for each hour, customer and group, as one text. The text has the events, the skipped events and the
 * quantity. It also has the number of distinct values, counted by the hour in which the value occurred before. Counts of 0 are omitted,
 * because equal meters need not have the same rows with a count of 0.
 */
const hoursSql = (meter: string): string => `
  SELECT series_id, hour, group_id, min(group_key) AS group_key,
    string_agg(value, ', ' ORDER BY value DESC) AS value FROM (
    SELECT series_id, hour, group_id, group_key::text,
      events || ' events, ' || skipped || ' skipped' || coalesce(', quantity ' || trim_scale(quantity), '') AS value
    FROM usage.rollups WHERE meter_id = ${meter}
    UNION ALL
    SELECT series_id, hour, group_id, NULL,
      'distinct values ' || string_agg(count || ' since ' || seen_before, ', ' ORDER BY seen_before)
    FROM usage.recurrences WHERE meter_id = ${meter} AND count <> 0 GROUP BY series_id, hour, group_id
  ) part GROUP BY series_id, hour, group_id`;

async function differencesOf(
  tx: PoolClient,
  live: string,
  check: string,
  shown: number,
): Promise<Pick<MeterComparison, 'hours' | 'differences' | 'first'>> {
  const { rows } = await tx.query<MeterDifference & { hours: number; differences: number }>(
    `WITH live AS MATERIALIZED (${hoursSql('$1')}), expected AS MATERIALIZED (${hoursSql('$2')}),
     different AS MATERIALIZED (
       SELECT series_id, hour, group_id, coalesce(l.group_key, e.group_key) AS group_key, l.value AS live, e.value AS expected
       FROM live l FULL JOIN expected e USING (series_id, hour, group_id) WHERE l.value IS DISTINCT FROM e.value)
     SELECT (SELECT count(*) FROM expected)::float8 AS hours, (SELECT count(*) FROM different)::float8 AS differences,
       s.customer_id AS "customerId", d.hour::text AS hour, d.group_key AS "group", d.live, d.expected
     FROM (VALUES (1)) one LEFT JOIN (SELECT * FROM different ORDER BY hour, series_id, group_id LIMIT $3) d ON true
     LEFT JOIN usage.series s ON s.id = d.series_id ORDER BY d.hour, d.series_id, d.group_id`,
    [live, check, shown],
  );
  const { hours, differences } = rows[0]!;
  const first = rows
    .filter(({ customerId }) => customerId !== null)
    .map(({ customerId, hour, group, live: is, expected }) => ({
      customerId,
      hour,
      group,
      live: is,
      expected,
    }));
  return { hours, differences, first };
}
