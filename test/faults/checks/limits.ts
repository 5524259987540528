import { Decimal } from '#libs/kernel/core';
import type { Entry } from '../load/journal.ts';
import { LIMIT, LIMIT_THRESHOLDS, LIMITED_EVENT_NAME, type Workspace } from '../load/workspace.ts';
import type { Facts } from './facts.ts';
import { doubled, wrong, type Finding } from './finding.ts';
import { acceptedUsage, refusedUsage, type SentEvent } from './writes.ts';

/** No customer has used more in a month than the limit, and nothing was refused that the whole month has room for. */
export function checkLimits({ entries }: Facts): Finding[] {
  const used = usedByMonth(entries);
  const findings: Finding[] = [];
  for (const [month, units] of used)
    if (units.gt(LIMIT))
      findings.push(doubled(`Usage of ${month} comes to ${units.toFixed()}, above the limit of ${LIMIT}`));
  for (const event of refusedUsage(entries, 'usage_limit_reached')) {
    const after = (used.get(monthOf(event)) ?? new Decimal(0)).plus(event.properties.units);
    if (after.lte(LIMIT))
      findings.push(
        wrong(
          `Usage ${event.idempotencyKey} was refused, and with it ${monthOf(event)} has ${after.toFixed()} of ${LIMIT}`,
        ),
      );
  }
  return findings;
}

/** What the message says of a threshold that was reached. */
interface ReachedThreshold extends Record<string, unknown> {
  limitId: string;
  customerId: string;
  windowStart: string;
  threshold: number;
}

/** The thresholds that accepted usage has reached, and the limit where something was refused. */
export function reachedThresholds(entries: readonly Entry[], { limitId }: Workspace): ReachedThreshold[] {
  const used = usedByMonth(entries);
  const refused = new Set(refusedUsage(entries, 'usage_limit_reached').map(monthOf));
  return [...new Set([...used.keys(), ...refused])].flatMap((month) => {
    const units = used.get(month) ?? new Decimal(0);
    const [customerId, windowStart] = month.split(' ') as [string, string];
    return LIMIT_THRESHOLDS.filter(
      (threshold) => units.gte(LIMIT * threshold) || (threshold === 1 && refused.has(month)),
    ).map((threshold) => ({ limitId, customerId, windowStart, threshold }));
  });
}

function usedByMonth(entries: readonly Entry[]): Map<string, Decimal> {
  const used = new Map<string, Decimal>();
  for (const event of acceptedUsage(entries).values())
    if (event.eventName === LIMITED_EVENT_NAME)
      used.set(monthOf(event), (used.get(monthOf(event)) ?? new Decimal(0)).plus(event.properties.units));
  return used;
}

/** The customer and the beginning of the month that usage counts in. */
function monthOf({ customerId, timestamp }: SentEvent): string {
  return `${customerId} ${timestamp.slice(0, 7)}-01T00:00:00.000Z`;
}
