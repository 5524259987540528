import { Injectable } from '@nestjs/common';
import { Unavailable, type Instant } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { unmatchedEvents, unpricedEvents, usageEvents } from '../metrics.js';
import { ChargeDirectory, type ChargeTest } from '../unmatched/charge-directory.js';
import {
  uncountedReasonsOf,
  unpricedReasonsOf,
  type CountingRule,
  type UncountedReasonCode,
  type UsageFinding,
} from '../unmatched/counting-rules.js';
import { MetricDirectory, type CountingRulesByEventName } from '../unmatched/metric-directory.js';
import { UnmatchedUsageStore } from '../unmatched/unmatched-usage-store.js';
import { MAX_IDS, MAX_WARNINGS, UnmatchedTally, type UnmatchedUsage } from '../unmatched/unmatched-tally.js';
import { CustomerDirectory } from './customer-directory.js';
import { newEventIds } from './event-ids.js';
import { toRejectedEvent, type EventRefusal, type RejectedEvent } from './rejection.js';
import { TimeWindow, type AcceptedTimes } from './time-window.js';
import { readUsageEvent, type UsageEvent } from './usage-event.js';
import { GatedUsageLog } from './gated-usage-log.js';
import { OUTDATED_GATE_VERSION } from './gate-versions.js';
import { UsageGate, type ClaimingRow, type GateConditions } from './usage-gate.js';
import { UsageLog } from './usage-log.js';
import type { UsageRow } from './usage-row.js';

/** The result of storing a request's events. */
export interface IngestResult {
  /**
   * The ids of the stored events, in the order of the request. For an event with a repeated idempotency key or derived key, the id of the
   * first event with this key.
   */
  readonly accepted: string[];
  readonly rejected: RejectedEvent[];
  /**
   * The number of accepted events whose idempotency key or derived key an earlier event used, also an earlier event of the same request.
   */
  readonly repeated: number;
  /** The accepted events that no metric counts, or that a metric skips. `unmatched` is empty if the metrics could not be read. */
  readonly unmatched: UnmatchedUsage;
  /**
   * The accepted events that metrics count and nothing charges to their customers. `unpriced` is empty if the metrics or the customers'
   * prices could not be read.
   */
  readonly unpriced: UnmatchedUsage;
  /** The repeated events whose key was first used with other content. `reusedKeys` is empty if the first events could not be read. */
  readonly reusedKeys: ReusedKeys;
}

/** Events that were not stored, because another event with other content used their idempotency key first. */
export interface ReusedKeys {
  /** The number of these events. */
  readonly count: number;
  /** The warnings, grouped by event name, in the order of their first event. The number of warnings is limited. */
  readonly warnings: readonly ReusedKeyWarning[];
}

/** A warning about idempotency keys that were used again. `eventIds` are the ids of the first events with the keys. */
export interface ReusedKeyWarning {
  readonly code: typeof KEY_REUSED;
  readonly reason: string;
  readonly eventName: string;
  readonly count: number;
  readonly eventIds: readonly string[];
}

export const KEY_REUSED = 'key_reused_with_other_content';

/** An event that can be stored, with its index in the request. */
interface PendingEvent {
  readonly index: number;
  readonly event: UsageEvent;
  readonly row: UsageRow;
}

/** A stored event. For an event with a repeated idempotency key, `id` is the id of the first event with this key. */
interface IngestedEvent {
  readonly index: number;
  readonly event: UsageEvent;
  readonly id: string;
  readonly isRepeated: boolean;
}

/** An event that a gate refused. */
interface RefusedEvent {
  readonly index: number;
  readonly refusal: EventRefusal;
}

/**
 * The outcome for each event. `outdated` contains the events that were prepared by outdated conditions of the gates, and must be prepared
 * again.
 */
interface StoreOutcome {
  readonly stored: IngestedEvent[];
  readonly refused: RefusedEvent[];
  readonly outdated: PendingEvent[];
}

/**
 * The maximum number of times that usage events are prepared for the gates. Events are prepared again each time that limits of the
 * workspace change before the events are stored.
 */
const MAX_ATTEMPTS = 20;

/** Ingests usage events. Each event is checked separately, and valid events are stored even if others are refused. */
@Injectable()
export class UsageIngest {
  constructor(
    private readonly log: UsageLog,
    private readonly gatedLog: GatedUsageLog,
    private readonly gate: UsageGate,
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerDirectory,
    private readonly metrics: MetricDirectory,
    private readonly charges: ChargeDirectory,
    private readonly notes: UnmatchedUsageStore,
  ) {}

  /**
   * Ingests the events of a request, and resolves when the accepted events are on disk.
   *
   * @param raw the events of the request body
   * @param source the sender, such as `api_key:key_…`
   * @param reach the accepted times of events
   * @param derivedKeys a key for each event that has no idempotency key of its own; see {@link UsageRow.derivedKey}
   */
  async ingest(
    workspaceId: string,
    raw: readonly unknown[],
    source: string,
    reach: AcceptedTimes = 'live',
    derivedKeys?: readonly string[],
  ): Promise<IngestResult> {
    const refusals: RejectedEvent[] = [];
    const events: { index: number; event: UsageEvent }[] = [];
    const customerIds = new Set<string>();
    for (let index = 0; index < raw.length; index++) {
      const event = readUsageEvent(raw[index]);
      if ('code' in event) {
        refusals.push(toRejectedEvent(index, raw[index], event));
        continue;
      }
      events.push({ index, event });
      customerIds.add(event.customerId);
    }
    if (events.length === 0) {
      usageEvents.inc({ outcome: 'rejected' }, refusals.length);
      return {
        accepted: [],
        rejected: refusals,
        repeated: 0,
        unmatched: NOTHING,
        unpriced: NOTHING,
        reusedKeys: NO_REUSED_KEYS,
      };
    }

    const [now, missing, counters, isCharged, conditions] = await Promise.all([
      this.clock.now(workspaceId),
      this.customers.findMissingIds(workspaceId, customerIds),
      // Warnings must not block ingestion, so a failure to read metrics or prices is ignored.
      this.metrics.countingRulesOf(workspaceId).catch(() => undefined),
      this.charges.chargeTestFor(workspaceId, customerIds).catch(() => undefined),
      this.gate.conditionsFor(workspaceId, customerIds),
    ]);
    const window = new TimeWindow(now, reach);
    const ids = newEventIds(events.length);
    const pending: PendingEvent[] = [];
    for (const { index, event } of events) {
      const refusal = missing.has(event.customerId)
        ? noCustomer(event.customerId)
        : window.refusalOf(event.timestamp);
      if (refusal) {
        refusals.push(toRejectedEvent(index, raw[index], refusal));
        continue;
      }
      const timestamp = event.timestamp ?? window.now;
      const row = {
        workspaceId,
        customerId: event.customerId,
        eventName: event.eventName,
        timestamp,
        id: ids[pending.length]!,
        idempotencyKey: event.idempotencyKey,
        derivedKey: derivedKeys?.[index],
        properties: event.properties,
        source,
        gateVersion: conditions.version,
      };
      pending.push({ index, event, row });
    }
    const { stored, refused } = await this.store(workspaceId, pending, conditions, now);
    for (const { index, refusal } of refused) refusals.push(toRejectedEvent(index, raw[index], refusal));
    const repeated = stored.filter(({ isRepeated }) => isRepeated).length;
    usageEvents.inc({ outcome: 'stored' }, stored.length - repeated);
    usageEvents.inc({ outcome: 'repeated' }, repeated);
    usageEvents.inc({ outcome: 'rejected' }, refusals.length);
    refusals.sort((a, b) => a.index - b.index);
    const found = counters === undefined ? NO_FINDINGS : this.judge(workspaceId, counters, isCharged, stored);
    const reusedKeys = repeated === 0 ? NO_REUSED_KEYS : await this.findReusedKeys(workspaceId, stored);
    return {
      accepted: stored.map(({ id }) => id),
      rejected: refusals,
      repeated,
      unmatched: found.unmatched,
      unpriced: found.unpriced,
      reusedKeys,
    };
  }

  /** Returns those of the derived keys with which events of the workspace are stored. */
  async findStoredDerivedKeys(workspaceId: string, derivedKeys: readonly string[]): Promise<Set<string>> {
    return this.log.findStoredDerivedKeys(workspaceId, derivedKeys);
  }

  /** Finds the repeated events whose idempotency key was first used with another customer, name or properties. */
  private async findReusedKeys(workspaceId: string, stored: readonly IngestedEvent[]): Promise<ReusedKeys> {
    const repeated = stored.flatMap(({ event, id, isRepeated }) => {
      const { customerId, eventName, idempotencyKey, properties } = event;
      if (!isRepeated || idempotencyKey === undefined) return [];
      return [{ workspaceId, customerId, eventName, idempotencyKey, properties, id }];
    });
    if (repeated.length === 0) return NO_REUSED_KEYS;
    // The events of the request are stored, so a failure of this check must not fail the request.
    const reused = await this.log.findReusedKeys(repeated).catch(() => []);
    const byName = [...Map.groupBy(reused, ({ eventName }) => eventName)].slice(0, MAX_WARNINGS);
    return {
      count: reused.length,
      warnings: byName.map(([eventName, same]) => ({
        code: KEY_REUSED,
        reason: `These events of the name "${eventName}" were not stored, since their idempotencyKey was used before for another customer, eventName or properties; send them with keys of their own`,
        eventName,
        count: same.length,
        eventIds: same.slice(0, MAX_IDS).map(({ id }) => id),
      })),
    };
  }

  /** Stores the events by the newest conditions of the gates. */
  private async store(
    workspaceId: string,
    pending: readonly PendingEvent[],
    known: GateConditions,
    now: Instant,
  ): Promise<Pick<StoreOutcome, 'stored' | 'refused'>> {
    const stored: IngestedEvent[] = [];
    const refused: RefusedEvent[] = [];
    let [waiting, conditions] = [pending, known];
    for (let attempt = 1; waiting.length > 0; attempt++) {
      if (attempt > MAX_ATTEMPTS)
        throw new Unavailable(
          'usage_unavailable',
          'The rules that limit usage keep changing; send the usage again, with the same idempotency keys',
        );
      const outcome = await this.storeBy(conditions, waiting, now);
      stored.push(...outcome.stored);
      refused.push(...outcome.refused);
      waiting = outcome.outdated;
      if (waiting.length === 0) break;
      this.gate.forget(workspaceId);
      const customerIds = new Set(waiting.map(({ row }) => row.customerId));
      conditions = await this.gate.conditionsFor(workspaceId, customerIds);
    }
    return { stored: stored.sort((a, b) => a.index - b.index), refused };
  }

  /** Stores the events by the given conditions: events with claims through the gate, and other events directly. */
  private async storeBy(
    { claimsOf, version: gateVersion }: GateConditions,
    pending: readonly PendingEvent[],
    now: Instant,
  ): Promise<StoreOutcome> {
    const direct: UsageRow[] = [];
    const gated: ClaimingRow[] = [];
    const isGated = pending.map(({ event, row }) => {
      const claims = claimsOf?.({ ...event, timestamp: row.timestamp, properties: event.values });
      if (claims) gated.push({ ...row, gateVersion, claims, now });
      else direct.push(row.gateVersion === gateVersion ? row : { ...row, gateVersion });
      return claims !== undefined;
    });
    const [firstIds, outcomes] = await Promise.all([this.log.append(direct), this.gatedLog.append(gated)]);
    const result: StoreOutcome = { stored: [], refused: [], outdated: [] };
    let [nextDirect, nextGated] = [0, 0];
    for (const [i, one] of pending.entries()) {
      const { index, event, row } = one;
      const outcome = isGated[i] ? outcomes.get(nextGated++) : firstIds.get(nextDirect++);
      if (outcome === undefined) result.stored.push({ index, event, id: row.id, isRepeated: false });
      else if (outcome === OUTDATED_GATE_VERSION) result.outdated.push(one);
      else if (typeof outcome === 'string')
        result.stored.push({ index, event, id: outcome, isRepeated: true });
      else if ('firstId' in outcome)
        result.stored.push({ index, event, id: outcome.firstId, isRepeated: true });
      else result.refused.push({ index, refusal: outcome });
    }
    return result;
  }

  /**
   * Finds the accepted events that no metric counts or that a metric skips, and the other events that nothing charges. The result includes
   * repeated events. The Prometheus metrics and later reports omit repeated events, because they were reported when they were first stored.
   *
   * @param isCharged undefined if the customers' prices could not be read
   */
  private judge(
    workspaceId: string,
    counters: CountingRulesByEventName,
    isCharged: ChargeTest | undefined,
    events: readonly IngestedEvent[],
  ): Pick<IngestResult, 'unmatched' | 'unpriced'> {
    const unmatched = new FreshAndAll();
    const unpriced = new FreshAndAll();
    const reasons = new Map<UncountedReasonCode, number>();
    for (const ingested of events) {
      const { customerId, eventName, values } = ingested.event;
      const named = counters.get(eventName) ?? NO_COUNTERS;
      const findings = uncountedReasonsOf(values, named);
      if (findings.length > 0) {
        unmatched.add(ingested, findings);
        if (!ingested.isRepeated)
          for (const { code } of findings) reasons.set(code, (reasons.get(code) ?? 0) + 1);
      } else if (isCharged) {
        const free = unpricedReasonsOf(values, named, (metricId) => isCharged(customerId, metricId));
        if (free.length > 0) unpriced.add(ingested, free);
      }
    }
    for (const [reason, count] of reasons) unmatchedEvents.inc({ reason }, count);
    if (unpriced.fresh.count > 0) unpricedEvents.inc(unpriced.fresh.count);
    if (unmatched.fresh.count > 0)
      this.notes.addUsage({ workspaceId, kind: 'unmatched' }, unmatched.fresh.summary());
    if (unpriced.fresh.count > 0)
      this.notes.addUsage({ workspaceId, kind: 'unpriced' }, unpriced.fresh.summary());
    return { unmatched: unmatched.summary(), unpriced: unpriced.summary() };
  }
}

/** Counts the events of a request with findings: all of them, and those that were not stored before. */
class FreshAndAll {
  readonly all = new UnmatchedTally();
  readonly fresh = new UnmatchedTally();

  add({ event, id, isRepeated }: IngestedEvent, findings: readonly UsageFinding[]): void {
    this.all.add(event.eventName, id, findings);
    if (!isRepeated) this.fresh.add(event.eventName, id, findings);
  }

  summary(): UnmatchedUsage {
    return this.all.count > 0 ? this.all.summary() : NOTHING;
  }
}

const NO_COUNTERS: readonly CountingRule[] = [];

const NO_REUSED_KEYS: ReusedKeys = { count: 0, warnings: [] };

const NOTHING: UnmatchedUsage = { count: 0, warnings: [] };

const NO_FINDINGS = { unmatched: NOTHING, unpriced: NOTHING };

function noCustomer(customerId: string): EventRefusal {
  return {
    code: 'customer_not_found',
    field: 'customerId',
    reason: `No customer "${customerId}" in this workspace`,
  };
}
