import { jsonNumber } from '#libs/kernel/core';
import type { MigrationEffect, TotalEffect } from './migration-effect.js';
import type { SubscriptionMoveOutcome } from './events.js';
import type { PriceMigration } from './price-migration.js';

/** Converts a price migration to its form in the API, with the customers that it is limited to and its map of prices. */
export function presentMigration(migration: PriceMigration) {
  const { customerIds, priceMap = {} } = migration;
  return { ...presentMigrationSummary(migration), customerIds, priceMap };
}

/**
 * Converts a price migration to its short form in the API's lists. The list form of a migration has no customers, because there can be ten
 * thousand.
 */
export function presentMigrationSummary(migration: PriceMigration) {
  const { migrationId, name, fromPlanId, toPlanId, effectiveAt, customerIds, status, scheduledBy } =
    migration;
  const { createdAt, startedAt, finishedAt, canceledAt, total, migrated, skipped, failed } = migration;
  return {
    id: migrationId,
    name,
    fromPlanId,
    toPlanId,
    effectiveAt,
    status,
    // The approval under which a person acted is not a part of the answer.
    scheduledBy: { type: scheduledBy.type, id: scheduledBy.id },
    createdAt,
    startedAt,
    finishedAt,
    canceledAt,
    customerCount: customerIds?.length ?? null,
    progress: { total, processed: migrated + skipped + failed, migrated, skipped, failed },
  };
}

/** Converts the outcome for one subscription to its form in the API. */
export function presentMoveOutcome({ code, message, ...outcome }: SubscriptionMoveOutcome) {
  const { subscriptionId, customerId, status, invoiceId } = outcome;
  return { subscriptionId, customerId, status, invoiceId, code, message };
}

/** Converts the effects of a previewed migration to their form in the API. */
export function presentEffects(effects: readonly MigrationEffect[], totals: readonly TotalEffect[]) {
  return {
    subscriptions: effects.length,
    totals: totals.map(({ currency, subscriptionCount: subscriptions, ...amounts }) => ({
      currency,
      subscriptions,
      ...presentAmounts(amounts),
    })),
    customers: effects.map(({ subscriptionId, customerId, currency, problem, ...amounts }) => ({
      subscriptionId,
      customerId,
      currency,
      ...presentAmounts(amounts),
      code: problem?.code ?? null,
      message: problem?.message ?? null,
    })),
  };
}

function presentAmounts(amounts: Pick<TotalEffect, 'currentAmount' | 'newAmount' | 'proration'>) {
  const { currentAmount, newAmount, proration } = amounts;
  return {
    currentAmount: jsonNumber(currentAmount),
    newAmount: jsonNumber(newAmount),
    proration: jsonNumber(proration),
  };
}
