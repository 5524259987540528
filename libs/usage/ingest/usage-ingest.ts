import { Injectable } from '@nestjs/common';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { unmatchedEvents, usageEvents } from '../metrics.js';
import { findingsOf, type EventCounter, type FindingCode } from '../unmatched/event-counter.js';
import { MetricDirectory, type EventCounters } from '../unmatched/metric-directory.js';
import { UnmatchedNotes } from '../unmatched/unmatched-notes.js';
import { UnmatchedTally, type UnmatchedUsage } from '../unmatched/unmatched-tally.js';
import { CustomerDirectory } from './customer-directory.js';
import { newEventIds } from './event-ids.js';
import { rejected, type Refusal, type RejectedEvent } from './rejection.js';
import { TimeWindow, type AcceptedTimes } from './time-window.js';
import { readUsageEvent, type UsageEvent } from './usage-event.js';
import { UsageLog, type FirstIds } from './usage-log.js';
import type { UsageRow } from './usage-row.js';

/** The result of storing a request's events. */
export interface IngestResult {
  /** The ids of the stored events, in the order of the request. For a repeated key, the id of the first event. */
  readonly accepted: string[];
  readonly rejected: RejectedEvent[];
  /** The number of accepted events that were already stored before. */
  readonly repeated: number;
  /** The accepted events that no metric counts. It is empty if the metrics could not be read. */
  readonly unmatched: UnmatchedUsage;
}

/** Ingests usage events. Each event is checked separately, and valid events are stored even if others are refused. */
@Injectable()
export class UsageIngest {
  constructor(
    private readonly log: UsageLog,
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerDirectory,
    private readonly metrics: MetricDirectory,
    private readonly notes: UnmatchedNotes,
  ) {}

  /**
   * Resolves when the accepted events are on disk.
   *
   * @param raw the events of the request body
   * @param source the sender, such as `api_key:key_…`
   * @param reach the accepted times of events
   */
  async ingest(
    workspaceId: string,
    raw: readonly unknown[],
    source: string,
    reach: AcceptedTimes = 'live',
  ): Promise<IngestResult> {
    const refusals: RejectedEvent[] = [];
    const events: { index: number; event: UsageEvent }[] = [];
    const customerIds = new Set<string>();
    for (let index = 0; index < raw.length; index++) {
      const event = readUsageEvent(raw[index]);
      if ('code' in event) {
        refusals.push(rejected(index, raw[index], event));
        continue;
      }
      events.push({ index, event });
      customerIds.add(event.customerId);
    }
    if (events.length === 0) {
      usageEvents.inc({ outcome: 'rejected' }, refusals.length);
      return { accepted: [], rejected: refusals, repeated: 0, unmatched: NOTHING };
    }

    const [now, missing, counters] = await Promise.all([
      this.clock.now(workspaceId),
      this.customers.missing(workspaceId, customerIds),
      // Warnings must not block ingestion, so a failure to read the metrics is ignored.
      this.metrics.countersOf(workspaceId).catch(() => undefined),
    ]);
    const window = new TimeWindow(now, reach);
    const ids = newEventIds(events.length);
    const rows: UsageRow[] = [];
    const stored: UsageEvent[] = [];
    for (const { index, event } of events) {
      const refusal = missing.has(event.customerId)
        ? noCustomer(event.customerId)
        : window.refuse(event.timestamp);
      if (refusal) {
        refusals.push(rejected(index, raw[index], refusal));
        continue;
      }
      stored.push(event);
      rows.push({
        workspaceId,
        customerId: event.customerId,
        eventName: event.eventName,
        timestamp: event.timestamp ?? window.now,
        id: ids[rows.length]!,
        idempotencyKey: event.idempotencyKey,
        properties: event.properties,
        source,
      });
    }
    const firstIds = await this.log.append(rows);
    const accepted = rows.map(({ id }, i) => firstIds.get(i) ?? id);
    usageEvents.inc({ outcome: 'stored' }, rows.length - firstIds.size);
    usageEvents.inc({ outcome: 'repeated' }, firstIds.size);
    usageEvents.inc({ outcome: 'rejected' }, refusals.length);
    refusals.sort((a, b) => a.index - b.index);
    const unmatched =
      counters === undefined ? NOTHING : this.judge(workspaceId, counters, stored, accepted, firstIds);
    return { accepted, rejected: refusals, repeated: firstIds.size, unmatched };
  }

  /** Finds the accepted events that no metric counts. Events that were already stored before were reported at that time. */
  private judge(
    workspaceId: string,
    counters: EventCounters,
    events: readonly UsageEvent[],
    ids: readonly string[],
    repeated: FirstIds,
  ): UnmatchedUsage {
    const all = new UnmatchedTally();
    const fresh = repeated.size === 0 ? all : new UnmatchedTally();
    const reasons = new Map<FindingCode, number>();
    for (let i = 0; i < events.length; i++) {
      const { eventName, values } = events[i]!;
      const findings = findingsOf(values, counters.get(eventName) ?? NO_COUNTERS);
      if (findings.length === 0) continue;
      all.add(eventName, ids[i]!, findings);
      if (repeated.has(i)) continue;
      if (fresh !== all) fresh.add(eventName, ids[i]!, findings);
      for (const { code } of findings) reasons.set(code, (reasons.get(code) ?? 0) + 1);
    }
    for (const [reason, count] of reasons) unmatchedEvents.inc({ reason }, count);
    if (fresh.count > 0) this.notes.note(workspaceId, fresh.told());
    return all.count > 0 ? all.told() : NOTHING;
  }
}

const NO_COUNTERS: readonly EventCounter[] = [];

const NOTHING: UnmatchedUsage = { count: 0, warnings: [] };

function noCustomer(customerId: string): Refusal {
  return {
    code: 'customer_not_found',
    field: 'customerId',
    reason: `No customer "${customerId}" in this workspace`,
  };
}
