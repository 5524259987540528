import { Decimal, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { usageLimitEvents, type LimitTerms, type UsageLimitDetails, type UsageLimitEvent } from './events.js';

/** The state of a limit, computed from its events. */
export interface UsageLimit extends UsageLimitDetails {
  limitId: string;
  createdAt: Instant;
  deleted: boolean;
}

export type UsageLimitCommand =
  | { type: 'CreateUsageLimit'; at: Instant; limitId: string; details: UsageLimitDetails }
  | { type: 'UpdateUsageLimit'; at: Instant; limitId: string; changes: Partial<LimitTerms> }
  | { type: 'DeleteUsageLimit'; at: Instant; limitId: string };

type Of<Type extends UsageLimitCommand['type']> = Extract<UsageLimitCommand, { type: Type }>;

/** The maximum number of warnings of one limit. A warning is a threshold that is lower than the limit itself. */
export const MAX_WARNINGS = 10;

export const usageLimitDecider = defineDecider<UsageLimit, UsageLimitCommand, UsageLimitEvent>({
  category: 'usageLimit',
  events: usageLimitEvents,
  decide(command, limit) {
    switch (command.type) {
      case 'CreateUsageLimit':
        return createUsageLimit(command, limit);
      case 'UpdateUsageLimit':
        return updateUsageLimit(command, requireUsageLimit(command.limitId, limit));
      case 'DeleteUsageLimit': {
        const { limitId, at } = command;
        const { customerId } = requireUsageLimit(limitId, limit);
        return [{ type: 'UsageLimitDeleted', data: { limitId, customerId, at } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'UsageLimitCreated': {
        const { at: createdAt, ...details } = event.data;
        return { ...details, createdAt, deleted: false };
      }
      case 'UsageLimitUpdated': {
        const { at: _, ...changes } = event.data;
        return { ...requireCreated(state, event), ...changes };
      }
      case 'UsageLimitDeleted':
        return { ...requireCreated(state, event), deleted: true };
    }
  },
});

/** Returns the limit. Throws NotFound if the limit was never created or is deleted. */
export function requireUsageLimit(limitId: string, limit: UsageLimit | undefined): UsageLimit {
  if (!limit || limit.deleted) throw NotFound.of('usage limit', limitId);
  return limit;
}

function createUsageLimit(
  { at, limitId, details }: Of<'CreateUsageLimit'>,
  limit: UsageLimit | undefined,
): UsageLimitEvent[] {
  if (limit) return [];
  const warnAt = readWarnings(details.warnAt);
  return [{ type: 'UsageLimitCreated', data: { limitId, at, ...details, warnAt } }];
}

/** Changes the fields whose wanted values differ from the present ones. */
function updateUsageLimit(
  { at, limitId, changes }: Of<'UpdateUsageLimit'>,
  limit: UsageLimit,
): UsageLimitEvent[] {
  const wanted = { ...changes, warnAt: changes.warnAt && readWarnings(changes.warnAt) };
  const changed = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && String(limit[field as keyof LimitTerms]) !== String(value),
  );
  if (changed.length === 0) return [];
  const { customerId } = limit;
  return [{ type: 'UsageLimitUpdated', data: { limitId, customerId, at, ...Object.fromEntries(changed) } }];
}

/**
 * Returns the warning fractions in ascending order, without repetitions. Throws an error for a warning fraction that is not between 0 and
 * 1.
 */
function readWarnings(warnAt: readonly string[]): string[] {
  if (warnAt.length > MAX_WARNINGS)
    throw InvalidRequest.field('warnAt', `must have at most ${MAX_WARNINGS} fractions`);
  const fractions = warnAt.map((text) => new Decimal(text));
  const wrong = fractions.findIndex((fraction) => fraction.lte(0) || fraction.gte(1));
  if (wrong >= 0)
    throw InvalidRequest.field(
      `warnAt[${wrong}]`,
      'must be a fraction of the limit above 0 and below 1, such as 0.8; the limit itself needs no warning',
    );
  const sorted = fractions.toSorted((a, b) => a.cmp(b)).map((fraction) => fraction.toFixed());
  return [...new Set(sorted)];
}
