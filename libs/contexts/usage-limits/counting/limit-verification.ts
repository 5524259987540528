import type { Pool } from 'pg';
import { inTransaction } from '#libs/kernel/postgres';
import { measureInTransaction } from '#libs/usage';
import { endOfWindow } from '../windows/limit-window.js';
import { readCountersAfter, readCounters, type CounterKey, type CounterRow } from './counter-rows.js';
import { countDistinctValues } from './distinct-counter-values.js';
import type { LimitRule } from './limit-rule.js';
import { usedQuantityOfGroups } from './limit-use.js';

/** The number of counters that one query reads. */
const PAGE = 500;

/** Compares counters with the usage log. Clients can send usage during the comparison. */
export class CounterVerification {
  constructor(private readonly pool: Pool) {}

  /** Yields the counters of a limit, in the order of their keys. */
  async *countersOf(workspaceId: string, limitId: string): AsyncGenerator<CounterKey> {
    let after: CounterKey | undefined;
    for (;;) {
      const page = await readCountersAfter(this.pool, { workspaceId, limitId }, after, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1);
    }
  }

  /**
   * Returns the difference between a counter and the usage log as text. Undefined if the counter and the usage log are equal. Undefined
   * also if the counter is outdated or missing, or if the limit is not in force.
   */
  async verify(key: CounterKey): Promise<string | undefined> {
    return inTransaction(this.pool, async (tx) => {
      // One snapshot shows the counter and the usage log at the same moment.
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await tx.query<{ rule: LimitRule | null }>(
        'SELECT rule FROM limits.rules WHERE workspace_id = $1 AND limit_id = $2',
        [key.workspaceId, key.limitId],
      );
      const rule = rows[0]?.rule;
      const [row] = await readCounters(tx, [key]);
      if (!rule || row?.metricVersion !== rule.metric.version) return undefined;
      const { customerId, windowStart: start } = key;
      const request = {
        definition: rule.metric,
        customerId,
        start,
        end: endOfWindow({ end: row.windowEnd }),
      };
      if (rule.metric.aggregation.type !== 'count_distinct')
        return difference(row, usedQuantityOfGroups(rule, await measureInTransaction(tx, request)));
      const { inLog, stored } = await countDistinctValues(tx, key, request);
      return difference(row, inLog === stored ? inLog : `${inLog}, and ${stored} values are stored`);
    });
  }
}

function difference({ used, windowStart }: CounterRow, counted: string): string | undefined {
  if (used === counted) return undefined;
  return `from ${windowStart}: ${used} are used, and the usage log has ${counted}`;
}
