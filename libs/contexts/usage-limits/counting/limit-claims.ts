import { hash } from 'node:crypto';
import { cutToMillis, type Decimal, type Instant } from '#libs/kernel/core';
import { createContribution, type ClaimFinder } from '#libs/usage';
import {
  windowContains,
  windowAt,
  type CustomerCalendar,
  type LimitWindow,
} from '../windows/limit-window.js';
import { ExactDecimal } from './exact.js';
import type { LimitRule } from './limit-rule.js';

/** The quantity that an event adds to one limit. */
export interface LimitClaim {
  readonly rule: LimitRule;
  readonly window: LimitWindow;
  /** The quantity. For a metric of type `max`, the quantity is the value of the event. For `count_distinct`, it is 1. */
  readonly value: Decimal;
  /** For a metric of type `count_distinct`, the digest of the counted value, in hex. Absent for other types. */
  readonly distinct?: string;
}

type ClaimOf = (
  properties: Parameters<ReturnType<typeof createContribution>>[0],
  at: Instant,
) => LimitClaim[];

/**
 * Returns a function that finds the claims of an event: the quantities that the event adds to the limits of its customer. The event's own
 * time decides the window.
 *
 * @param rulesOf the rules for a customer
 * @param calendarOf the calendar of a customer
 */
export function createClaimFinder(
  rulesOf: (customerId: string) => readonly LimitRule[],
  calendarOf: (customerId: string) => CustomerCalendar,
): ClaimFinder {
  const byCustomer = new Map<string, Map<string, ClaimOf[]>>();
  const ofCustomer = (customerId: string): Map<string, ClaimOf[]> => {
    const calendar = calendarOf(customerId);
    const byName = new Map<string, ClaimOf[]>();
    for (const rule of rulesOf(customerId)) {
      const { eventName } = rule.metric;
      const claims = byName.get(eventName) ?? [];
      claims.push(claimOf(rule, calendar));
      byName.set(eventName, claims);
    }
    return byName;
  };
  return ({ customerId, eventName, timestamp, properties }) => {
    const byName = byCustomer.get(customerId) ?? ofCustomer(customerId);
    byCustomer.set(customerId, byName);
    // Windows begin at whole milliseconds, so finer digits do not change the window.
    const at = cutToMillis(timestamp);
    const claims = (byName.get(eventName) ?? []).flatMap((find) => find(properties, at));
    return claims.length > 0 ? claims : undefined;
  };
}

function claimOf(rule: LimitRule, calendar: CustomerCalendar): ClaimOf {
  const { aggregation } = rule.metric;
  const contributionOf = createContribution(aggregation);
  const isDistinct = aggregation.type === 'count_distinct';
  const { per, metric } = rule;
  let window: LimitWindow | undefined;
  return (properties, at) => {
    const contribution = contributionOf(properties);
    if (contribution.kind !== 'counted') return [];
    // Remember the last window, because the events of one request are usually in the same one.
    if (!window || !windowContains(window, at))
      window = windowAt({ per, metricId: metric.metricId }, calendar, at);
    if (isDistinct) return [{ rule, window, value: ONE, distinct: digestOf(contribution.value) }];
    return [{ rule, window, value: new ExactDecimal(contribution.value) }];
  };
}

const ONE = new ExactDecimal(1);
/** The number of hex digits of a digest: 16 bytes, as in the usage log. */
const DIGEST_DIGITS = 32;

function digestOf(value: string): string {
  return hash('sha256', value).slice(0, DIGEST_DIGITS);
}
