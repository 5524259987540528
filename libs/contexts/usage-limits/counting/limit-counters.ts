import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable, type DecimalString } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { BatchedReads, ConcurrencyLimit, KeyedConcurrencyLimits } from '#libs/kernel/system';
import { UsageMeters, type MeteredMeasureRequest } from '#libs/usage';
import { addNotices } from '../warnings/notice-rows.js';
import { endOfWindow } from '../windows/limit-window.js';
import {
  counterKeyText,
  OUTDATED_METRIC_VERSION,
  readCounters,
  readCountersWithRulesVersion,
  saveCounters,
  writeRecountedCounter,
  type CounterKey,
  type CounterRow,
  type CountersWithRulesVersion,
  type WantedCounter,
} from './counter-rows.js';
import { replaceDistinctValues } from './distinct-counter-values.js';
import { thresholdsReached, usedQuantityOfGroups } from './limit-use.js';
import { noticesOf, type CustomerLimitWindow } from './notices.js';

/** The maximum number of counters that a process counts from the usage log at the same time. */
const COUNTS_AT_ONCE = 8;
/**
 * The maximum number of counters of one workspace that a process counts at the same time. The limit per workspace is lower than
 * COUNTS_AT_ONCE, so one workspace cannot block the counts of the others.
 */
const COUNTS_OF_WORKSPACE = 4;
/** The maximum time that a count waits for its turn, in milliseconds. */
const WAIT_MILLIS = 30_000;
const WAITS = { waitMillis: WAIT_MILLIS, createRefusal: tooManyCounts };

/**
 * The counters of limits. A counter that is missing or outdated is counted from the usage log. The counters count each event exactly once.
 * The reason: while a counter is being counted, all earlier usage is visible to the count, and no further usage is stored for it.
 */
@Injectable()
export class LimitCounters {
  /** Combines the reads of a workspace's counters. Limit checks that arrive at the same time share one query. */
  private readonly reading: BatchedReads<readonly CounterKey[], CountersWithRulesVersion>;
  private readonly turns = new ConcurrencyLimit({ maxRunning: COUNTS_AT_ONCE, ...WAITS });
  private readonly turnsOfWorkspace = new KeyedConcurrencyLimits({
    maxRunning: COUNTS_OF_WORKSPACE,
    ...WAITS,
  });

  constructor(
    private readonly pool: Pool,
    private readonly meters: UsageMeters,
  ) {
    this.reading = new BatchedReads(async (workspaceId, keys) => {
      const found = await readCountersWithRulesVersion(pool, workspaceId, keys.flat());
      return keys.map(() => found);
    });
  }

  /** Counts from the usage log those counters of the given uses that are missing or outdated. */
  async countFromLog(uses: readonly CustomerLimitWindow[]): Promise<void> {
    await Promise.all(
      uses.map((use) =>
        this.turnsOfWorkspace.run(use.workspaceId, () => this.turns.run(() => this.countOne(use))),
      ),
    );
  }

  /**
   * Returns the used quantity of each limit, in the order of the given limits. Undefined if the version of the workspace's limit rules is
   * no longer `rulesVersion`. Missing counters are counted first. If no counter is missing, calls at the same time share one statement.
   */
  async usedQuantities(
    workspaceId: string,
    rulesVersion: string,
    uses: readonly CustomerLimitWindow[],
  ): Promise<DecimalString[] | undefined> {
    for (;;) {
      const found = await this.reading.read(workspaceId, uses.map(counterKeyOf));
      if (found.rulesVersion !== rulesVersion) return undefined;
      const rows = new Map(found.counters.map((row) => [counterKeyText(row), row]));
      const missing = uses.filter(
        (use) => !isCounterCurrent(rows.get(counterKeyText(counterKeyOf(use))), use),
      );
      if (missing.length === 0) return uses.map((use) => rows.get(counterKeyText(counterKeyOf(use)))!.used);
      await this.countFromLog(missing);
    }
  }

  /** Counts the stored usage of a window from the usage log. The count includes all usage that was acknowledged before it began. */
  private async measure(use: CustomerLimitWindow): Promise<DecimalString> {
    const { groups } = await this.meters.measure(requestOf(use));
    return usedQuantityOfGroups(
      use.rule,
      groups.map(({ quantity }) => quantity),
    );
  }

  private async countOne(use: CustomerLimitWindow): Promise<void> {
    const [before] = await readCounters(this.pool, [counterKeyOf(use)]);
    if (isCounterCurrent(before, use)) return;
    if (use.rule.metric.aggregation.type === 'count_distinct') await this.countDistinct(use, before);
    else await this.countByMeter(use, before);
  }

  private async countByMeter(use: CustomerLimitWindow, before: CounterRow | undefined): Promise<void> {
    const used = await this.measure(use);
    await inTransaction(this.pool, async (tx) => {
      const told = before?.told ?? [];
      if ((await writeRecountedCounter(tx, { ...wantedCounterOf(use), used, told }, before)) === undefined)
        return;
      const reached = thresholdsReached(use.rule, used, told);
      if (reached.length > 0)
        await saveCounters(tx, [{ ...counterKeyOf(use), used, told: [...told, ...reached] }]);
      await addNotices(tx, noticesOf(use, reached, used));
    });
  }

  /**
   * Counts the distinct values of a counter from the usage log. The counter is locked while its distinct values are counted. The counter is
   * first marked as outdated, so that usage does not wait for its lock.
   */
  private async countDistinct(use: CustomerLimitWindow, before: CounterRow | undefined): Promise<void> {
    const marked = before?.metricVersion === OUTDATED_METRIC_VERSION ? before : await this.mark(use, before);
    if (!marked) return;
    await inTransaction(this.pool, async (tx) => {
      const { told } = marked;
      const counter = { ...wantedCounterOf(use), used: '0', told };
      if ((await writeRecountedCounter(tx, counter, marked)) === undefined) return;
      // The counter is locked now, so no event that it counts is stored meanwhile.
      const used = String(await replaceDistinctValues(tx, counterKeyOf(use), requestOf(use)));
      const reached = thresholdsReached(use.rule, used, told);
      await saveCounters(tx, [{ ...counterKeyOf(use), used, told: [...told, ...reached] }]);
      await addNotices(tx, noticesOf(use, reached, used));
    });
  }

  /** Marks a counter as outdated. Undefined if another process has counted the counter since `before` was read. */
  private async mark(
    use: CustomerLimitWindow,
    before: CounterRow | undefined,
  ): Promise<Pick<CounterRow, 'epoch' | 'told'> | undefined> {
    const told = before?.told ?? [];
    const counter = {
      ...wantedCounterOf(use),
      metricVersion: OUTDATED_METRIC_VERSION,
      used: before?.used ?? '0',
      told,
    };
    const epoch = await writeRecountedCounter(this.pool, counter, before);
    return epoch === undefined ? undefined : { epoch, told };
  }
}

/** Tells whether the counter was counted with the rule's metric version and for the present end of the window. */
export function isCounterCurrent(
  row: CounterRow | undefined,
  { rule, window }: CustomerLimitWindow,
): boolean {
  return row?.metricVersion === rule.metric.version && row.windowEnd === window.end;
}

/** Returns the key of the counter for a limit, a customer and a window. */
export function counterKeyOf({ rule, workspaceId, customerId, window }: CustomerLimitWindow): CounterKey {
  return { workspaceId, limitId: rule.limitId, customerId, windowStart: window.start };
}

/** Returns the counter that the usage of a window needs. */
export function wantedCounterOf(use: CustomerLimitWindow): WantedCounter {
  return { ...counterKeyOf(use), windowEnd: use.window.end, metricVersion: use.rule.metric.version };
}

/** The request to measure the usage of a window. */
function requestOf({ rule, customerId, window }: CustomerLimitWindow): MeteredMeasureRequest {
  return { definition: rule.metric, customerId, start: window.start, end: endOfWindow(window) };
}

function tooManyCounts(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'The usage of too many customers is being counted for their limits; try again shortly',
  );
}
