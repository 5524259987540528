import { InvalidRequest, NotFound, requireWholeMinorUnits, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { minimumAndIntervalOf } from '#libs/rating';
import { withChanges, withoutUnchangedTranslations } from '../details.js';
import { requireExpectedRevision } from '../references.js';
import { planEvents, type PlanDetails, type PlanEvent } from './events.js';

/** One version of a plan. */
export interface PlanVersion extends PlanDetails {
  version: number;
  /** The number of the version whose fields a user changed to make this version; null for the first version. */
  basedOn: number | null;
  createdAt: Instant;
  /** The time when this version was first published; null if it was never published. */
  publishedAt: Instant | null;
}

/** The state of a plan, computed from its events. */
export interface Plan {
  planId: string;
  createdAt: Instant;
  deleted: boolean;
  versions: PlanVersion[];
  /** The number of the version that new subscriptions get. */
  publishedVersion: number;
  /** The number of the version that `POST /v1/plans/:id/publish` would publish. Null if there is no draft. */
  draftVersion: number | null;
}

/** The state of a plan's stream. The stream has no plan if the deletion of a price stopped the plan's creation. */
export interface PlanState {
  /** The number of events in the stream. A change of the plan that names prices fails if the stream gets another event meanwhile. */
  revision: number;
  plan: Plan | null;
}

export type PlanCommand =
  | { type: 'CreatePlan'; at: Instant; planId: string; revision: number; details: PlanDetails }
  /**
   * `revision` is the revision that the stream must have before the change. Only a change that names prices has `revision`. The references
   * on the prices contain the next revision.
   */
  | { type: 'UpdatePlan'; at: Instant; planId: string; revision?: number; changes: Partial<PlanDetails> }
  | { type: 'PublishPlan'; at: Instant; planId: string }
  | { type: 'RestorePlanVersion'; at: Instant; planId: string; revision: number; version: number }
  /** Stops pending changes of the plan that are based on an earlier revision. */
  | { type: 'StopPlanChange'; planId: string; revision: number }
  | { type: 'DeletePlan'; planId: string };

type Of<Type extends PlanCommand['type']> = Extract<PlanCommand, { type: Type }>;

export const initialState: PlanState = { revision: 0, plan: null };

export const planDecider = defineDecider<PlanState, PlanCommand, PlanEvent>({
  category: 'plan',
  events: planEvents,
  decide(command, state = initialState) {
    switch (command.type) {
      case 'CreatePlan':
        return createPlan(command, state);
      case 'UpdatePlan':
        return updatePlan(command, state, requirePlan(command.planId, state));
      case 'PublishPlan':
        return publishPlan(command, requirePlan(command.planId, state));
      case 'RestorePlanVersion':
        return restorePlanVersion(command, state, requirePlan(command.planId, state));
      case 'StopPlanChange':
        return stopPlanChange(command, state);
      case 'DeletePlan':
        return deletePlan(command, state);
    }
  },
  evolve,
});

/** Returns the plan. Throws NotFound if the plan was never created or is deleted. */
export function requirePlan(planId: string, state: PlanState | undefined): Plan {
  if (!state?.plan || state.plan.deleted) throw NotFound.of('plan', planId);
  return state.plan;
}

/** Returns a version of a plan by its number. Throws NotFound if the plan does not have this version. */
export function planVersion(plan: Plan, version: number): PlanVersion {
  const found = plan.versions.find((one) => one.version === version);
  if (!found) throw NotFound.of('plan version', String(version));
  return found;
}

/** Returns the version of a plan to edit next: the draft, or the published version if there is no draft. */
export function draftOrPublishedVersion(plan: Plan): PlanVersion {
  return planVersion(plan, plan.draftVersion ?? plan.publishedVersion);
}

/** Returns the plan if its published version or its draft contains the price. Otherwise undefined. */
export function findPlanOffering(state: PlanState | undefined, priceId: string): Plan | undefined {
  return versionsOffering(state, priceId).length > 0 ? state!.plan! : undefined;
}

/** Returns the published version and the draft of a plan, as far as they contain the price. */
export function versionsOffering(state: PlanState | undefined, priceId: string): PlanVersion[] {
  const plan = state?.plan;
  if (!plan || plan.deleted) return [];
  const inUse = new Set([planVersion(plan, plan.publishedVersion), draftOrPublishedVersion(plan)]);
  return [...inUse].filter(({ prices }) => prices.includes(priceId));
}

/**
 * Creates the plan, or does nothing if it exists. A plan's id is derived from the command, so an existing plan was created by the same
 * command.
 */
function createPlan({ at, planId, revision, details }: Of<'CreatePlan'>, state: PlanState): PlanEvent[] {
  if (state.plan) return [];
  requireExpectedRevision(state.revision, revision);
  requireWholeAmounts(details, details.currency);
  return [{ type: 'PlanCreated', data: { planId, at, ...details } }];
}

function updatePlan(
  { at, planId, revision, changes }: Of<'UpdatePlan'>,
  state: PlanState,
  plan: Plan,
): PlanEvent[] {
  const {
    version: _version,
    basedOn: _basedOn,
    createdAt: _createdAt,
    publishedAt: _publishedAt,
    ...details
  } = draftOrPublishedVersion(plan);
  const changed = withChanges<PlanDetails>(details, withoutUnchangedTranslations(changes, details));
  if (!changed) return [];
  if (changed.currency !== details.currency)
    throw InvalidRequest.field(
      'prices',
      `must stay in ${details.currency}; make a new plan for another currency`,
    );
  requireWholeAmounts(changes, details.currency);
  if (revision !== undefined) requireExpectedRevision(state.revision, revision);
  const version = plan.versions.length + 1;
  return [{ type: 'PlanUpdated', data: { planId, version, at, ...changed } }];
}

/** Throws InvalidRequest for an amount with more decimal places than the plan's currency has. */
function requireWholeAmounts(
  { minimumCommitment, billingThresholds }: Partial<PlanDetails>,
  currency: string,
): void {
  if (minimumCommitment) {
    const { minimum, interval } = minimumAndIntervalOf(minimumCommitment);
    const field = interval ? 'minimumCommitment.amount' : 'minimumCommitment';
    requireWholeMinorUnits(field, minimum, currency);
  }
  if (billingThresholds)
    requireWholeMinorUnits('billingThresholds.amountGte', billingThresholds.amountGte, currency);
}

/** Publishes the draft. Does nothing if the plan has no draft. */
function publishPlan({ at, planId }: Of<'PublishPlan'>, plan: Plan): PlanEvent[] {
  if (plan.draftVersion === null) return [];
  return [{ type: 'PlanPublished', data: { planId, version: plan.draftVersion, at } }];
}

/**
 * Publishes a version of a plan under its own number, also if the version was never published before. A draft with another number is
 * discarded. Does nothing if the version is published and the plan has no draft.
 */
function restorePlanVersion(
  { at, planId, revision, version }: Of<'RestorePlanVersion'>,
  state: PlanState,
  plan: Plan,
): PlanEvent[] {
  planVersion(plan, version);
  if (plan.publishedVersion === version && plan.draftVersion === null) return [];
  requireExpectedRevision(state.revision, revision);
  return [{ type: 'PlanVersionRestored', data: { planId, version, at } }];
}

/**
 * Appends one event to increase the stream's revision, so that a pending change of the plan fails. The pending change began when the stream
 * had one event less than `revision`, and it fails if the stream has more. So one more event is always enough.
 */
function stopPlanChange({ planId, revision }: Of<'StopPlanChange'>, state: PlanState): PlanEvent[] {
  return state.revision >= revision ? [] : [{ type: 'PlanChangeOvertaken', data: { planId } }];
}

/** Deletes the plan. Subscriptions to the deleted plan continue. */
function deletePlan({ planId }: Of<'DeletePlan'>, state: PlanState): PlanEvent[] {
  requirePlan(planId, state);
  return [{ type: 'PlanDeleted', data: { planId } }];
}

function evolve(before: PlanState = initialState, event: PlanEvent): PlanState {
  const revision = before.revision + 1;
  switch (event.type) {
    case 'PlanCreated': {
      const { planId, at: createdAt, ...details } = event.data;
      const first = { version: 1, basedOn: null, createdAt, publishedAt: createdAt, ...details };
      const plan = {
        planId,
        createdAt,
        deleted: false,
        versions: [first],
        publishedVersion: 1,
        draftVersion: null,
      };
      return { revision, plan };
    }
    case 'PlanUpdated': {
      const { planId, at: createdAt, ...details } = event.data;
      const plan = requirePlan(planId, before);
      const { version: basedOn } = draftOrPublishedVersion(plan);
      const versions = [...plan.versions, { ...details, basedOn, createdAt, publishedAt: null }];
      return { revision, plan: { ...plan, versions, draftVersion: details.version } };
    }
    case 'PlanPublished':
    case 'PlanVersionRestored':
      return { revision, plan: published(requirePlan(event.data.planId, before), event.data) };
    case 'PlanChangeOvertaken':
      return { ...before, revision };
    case 'PlanDeleted':
      return { revision, plan: { ...requirePlan(event.data.planId, before), deleted: true } };
  }
}

function published(plan: Plan, { version, at }: { version: number; at: Instant }): Plan {
  const versions = plan.versions.map((one) =>
    one.version === version ? { ...one, publishedAt: one.publishedAt ?? at } : one,
  );
  return { ...plan, versions, publishedVersion: version, draftVersion: null };
}
