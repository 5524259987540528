import { Injectable } from '@nestjs/common';
import { decimalString } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import {
  GateNotReady,
  UsageGate,
  type CreditCharge,
  type ClaimingRow,
  type GateConditions,
  type LockedClaims,
  type EventRefusal,
} from '#libs/usage';
import { addNotices, type LimitNotice } from '../warnings/notice-rows.js';
import { counterKeyText, lockCurrentCounters, saveCounters, type CounterRow } from './counter-rows.js';
import {
  addDistinctValues,
  readCountedDistinctValues,
  type DistinctCounterValues,
} from './distinct-counter-values.js';
import { CustomerCalendars } from './customer-calendars.js';
import { createClaimFinder, type LimitClaim } from './limit-claims.js';
import { counterKeyOf, wantedCounterOf, LimitCounters } from './limit-counters.js';
import { LimitRules } from './limit-rules.js';
import { noticesOf, type CustomerLimitWindow } from './notices.js';
import { WindowCounter } from './window-counter.js';

/** Adds each usage event to the counters of its customer's limits. Refuses usage events that a blocking limit does not allow. */
@Injectable()
export class LimitGate extends UsageGate {
  constructor(
    private readonly rules: LimitRules,
    private readonly calendars: CustomerCalendars,
    private readonly counters: LimitCounters,
  ) {
    super();
  }

  override async conditionsFor(
    workspaceId: string,
    customerIds: ReadonlySet<string>,
  ): Promise<GateConditions> {
    const rules = await this.rules.rulesInForceFor(workspaceId, customerIds);
    const { version } = rules;
    const limited = [...customerIds].filter((customerId) => rules.limitsOf(customerId).length > 0);
    if (limited.length === 0) return { claimsOf: undefined, version };
    const calendars = await this.calendars.calendarsOf(workspaceId, version, limited);
    return {
      version,
      claimsOf: createClaimFinder(
        (customerId) => (calendars.has(customerId) ? rules.limitsOf(customerId) : []),
        (customerId) => calendars.get(customerId)!,
      ),
    };
  }

  override forget(workspaceId: string): void {
    this.rules.forget(workspaceId);
  }

  override async lockClaims(tx: Queryable, events: readonly ClaimingRow[]): Promise<LockedClaims> {
    const uses = new Map<string, CustomerLimitWindow>();
    for (const event of events)
      for (const claim of event.claims as readonly LimitClaim[]) {
        const use = useOf(event, claim);
        uses.set(counterKeyText(counterKeyOf(use)), use);
      }
    const rows = await lockCurrentCounters(tx, [...uses.values()].map(wantedCounterOf));
    const found = new Map(rows.map((row) => [counterKeyText(row), row]));
    const missing = [...uses].flatMap(([id, use]) => (found.has(id) ? [] : [use]));
    if (missing.length > 0) throw this.notReady(missing);
    return new LockedLimitClaims(tx, found, await this.seen(tx, events));
  }

  /** Returns the error that makes the customers of these uses wait until their counters are counted. */
  private notReady(uncounted: readonly CustomerLimitWindow[]): GateNotReady {
    const byCustomer = Map.groupBy(
      uncounted,
      ({ workspaceId, customerId }) => `${workspaceId} ${customerId}`,
    );
    return new GateNotReady(
      [...byCustomer.values()].map((uses) => {
        const { workspaceId, customerId } = uses[0]!;
        return { workspaceId, customerId, prepare: () => this.counters.countFromLog(uses) };
      }),
    );
  }

  /** Returns, for each counter id, those distinct values of the events that the counter has already counted. */
  private async seen(
    tx: Queryable,
    events: readonly ClaimingRow[],
  ): Promise<ReadonlyMap<string, Set<string>>> {
    const wanted = events.flatMap((event) =>
      (event.claims as readonly LimitClaim[]).flatMap((claim): DistinctCounterValues[] =>
        claim.distinct === undefined
          ? []
          : [{ key: counterKeyOf(useOf(event, claim)), values: [claim.distinct] }],
      ),
    );
    return wanted.length > 0 ? readCountedDistinctValues(tx, wanted) : NONE_SEEN;
  }
}

const NONE_SEEN: ReadonlyMap<string, Set<string>> = new Map();

/** A locked counter, with the changes that the transaction's events make to it. */
interface LockedCounter {
  readonly row: CounterRow;
  readonly counter: WindowCounter;
}

class LockedLimitClaims implements LockedClaims {
  private readonly counters = new Map<string, LockedCounter>();
  private readonly notices: LimitNotice[] = [];

  constructor(
    private readonly tx: Queryable,
    rows: ReadonlyMap<string, CounterRow>,
    seen: ReadonlyMap<string, Set<string>>,
  ) {
    for (const [id, row] of rows)
      this.counters.set(id, { row, counter: new WindowCounter(row.used, row.told, seen.get(id)) });
  }

  /** Returns a refusal if the event exceeds a blocking limit. */
  check(event: ClaimingRow): EventRefusal | undefined {
    for (const { rule, window, value, distinct } of event.claims as readonly LimitClaim[]) {
      const use = useOf(event, { rule, window });
      const counter = this.counterOf(use);
      const reached = counter.thresholdsOnRefusal(rule, value, distinct);
      if (!reached) continue;
      this.notices.push(...noticesOf(use, reached, counter.used));
      const until = window.end === null ? '' : `, which resets at ${window.end}`;
      return {
        code: 'usage_limit_reached',
        reason:
          `The event has ${decimalString(value)} of ${rule.metric.metricId}, and ${counter.used} of ${rule.limit} are used ` +
          `of the limit ${rule.limitId}${until}; raise the limit, or send less`,
      };
    }
    return undefined;
  }

  take(event: ClaimingRow): readonly CreditCharge[] {
    for (const claim of event.claims as readonly LimitClaim[]) {
      const use = useOf(event, claim);
      const counter = this.counterOf(use);
      const reached = counter.countEvent(claim.rule, claim.value, claim.distinct);
      this.notices.push(...noticesOf(use, reached, counter.used));
    }
    return [];
  }

  async writeDecisions(): Promise<void> {
    const changed = [...this.counters.values()].filter(({ counter }) => counter.hasChanged);
    if (changed.length === 0) return;
    await saveCounters(
      this.tx,
      changed.map(({ row, counter: { used, told } }) => ({ ...row, used, told })),
    );
    const added = changed.flatMap(({ row: key, counter: { newValues: values } }) =>
      values.length > 0 ? [{ key, values }] : [],
    );
    if (added.length > 0) await addDistinctValues(this.tx, added);
    await addNotices(this.tx, this.notices);
  }

  private counterOf(use: CustomerLimitWindow): WindowCounter {
    return this.counters.get(counterKeyText(counterKeyOf(use)))!.counter;
  }
}

function useOf(
  { workspaceId, customerId, now: at }: ClaimingRow,
  { rule, window }: Pick<LimitClaim, 'rule' | 'window'>,
): CustomerLimitWindow {
  return { rule, workspaceId, customerId, window, at };
}
