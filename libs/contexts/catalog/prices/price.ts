import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { withChanges, withoutUnchangedTranslations } from '../details.js';
import { areAllChecked, requireExpectedRevision, withReference, type References } from '../references.js';
import { priceEvents, type PriceDetails, type PriceEvent } from './events.js';
import { checkPrice } from './price-rules.js';

/** One version of a price. New subscriptions get the last version of a price. */
export interface PriceVersion extends PriceDetails {
  version: number;
  createdAt: Instant;
}

/** The state of a price, computed from its events. */
export interface Price {
  priceId: string;
  createdAt: Instant;
  deleted: boolean;
  versions: PriceVersion[];
}

/** The state of a price's stream. The stream has no price if the deletion of a metric stopped the price's creation. */
export interface PriceState {
  /** The number of events in the stream. A change of the price that names a metric fails if the stream gets another event meanwhile. */
  revision: number;
  /** The plans that offer or once offered the price, or that began a change to offer it. */
  references: References;
  price: Price | null;
}

export type PriceCommand =
  | { type: 'CreatePrice'; at: Instant; priceId: string; revision: number; details: PriceDetails }
  /**
   * `revision` is the revision that the price's stream must have before the change. Only a change for which a reference was written has
   * `revision`: a change that names a metric, or a change to a config of the model `matrix` or `percentage`. The reference is on the
   * metric's stream, and contains the revision that the price's stream will have after the change.
   */
  | { type: 'UpdatePrice'; at: Instant; priceId: string; revision?: number; changes: Partial<PriceDetails> }
  | { type: 'ReferencePrice'; priceId: string; planId: string; planRevision: number }
  /** Stops pending changes of the price that are based on an earlier revision. */
  | { type: 'StopPriceChange'; priceId: string; revision: number }
  /**
   * `checkedReferences` has the references to plans that the deletion has checked. The plans in `checkedReferences` do not use the price
   * now, and cannot use it later.
   */
  | { type: 'DeletePrice'; priceId: string; checkedReferences: References };

type Of<Type extends PriceCommand['type']> = Extract<PriceCommand, { type: Type }>;

export const initialState: PriceState = { revision: 0, references: {}, price: null };

export const priceDecider = defineDecider<PriceState, PriceCommand, PriceEvent>({
  category: 'price',
  events: priceEvents,
  decide(command, state = initialState) {
    switch (command.type) {
      case 'CreatePrice':
        return createPrice(command, state);
      case 'UpdatePrice':
        return updatePrice(command, state, requirePrice(command.priceId, state));
      case 'ReferencePrice':
        return referencePrice(command, state);
      case 'StopPriceChange':
        return stopPriceChange(command, state);
      case 'DeletePrice':
        return deletePrice(command, state);
    }
  },
  evolve,
});

/** Returns the price. Throws NotFound if the price was never created or is deleted. */
export function requirePrice(priceId: string, state: PriceState | undefined): Price {
  if (!state?.price || state.price.deleted) throw NotFound.of('price', priceId);
  return state.price;
}

/** Returns the newest version. */
export function currentPriceVersion(price: Price): PriceVersion {
  return price.versions.at(-1)!;
}

/**
 * Returns the price if a version of it charges for the metric. Otherwise, and for a deleted price, undefined. All versions of the price are
 * checked, because a subscription keeps the version that it has.
 */
export function findPriceOfMetric(state: PriceState | undefined, metricId: string): Price | undefined {
  const price = state?.price;
  if (!price || price.deleted) return undefined;
  return price.versions.some((version) => version.metricId === metricId) ? price : undefined;
}

/**
 * Creates the price, or does nothing if it exists. A price's id is derived from the command, so an existing price was created by the same
 * command.
 */
function createPrice({ at, priceId, revision, details }: Of<'CreatePrice'>, state: PriceState): PriceEvent[] {
  if (state.price) return [];
  checkPrice(details);
  requireExpectedRevision(state.revision, revision);
  return [{ type: 'PriceCreated', data: { priceId, at, ...details } }];
}

function updatePrice(
  { at, priceId, revision, changes }: Of<'UpdatePrice'>,
  state: PriceState,
  price: Price,
): PriceEvent[] {
  const { version, createdAt: _, ...details } = currentPriceVersion(price);
  const changed = withChanges<PriceDetails>(
    details,
    withoutUnchangedTranslations(withoutEmptyReset(changes, details), details),
  );
  if (!changed) return [];
  if (changed.config.currency !== details.config.currency)
    throw InvalidRequest.field(
      'config.currency',
      `must stay ${details.config.currency}; make a new price for another currency`,
    );
  checkPrice(changed);
  if (revision !== undefined) requireExpectedRevision(state.revision, revision);
  return [{ type: 'PriceUpdated', data: { priceId, version: version + 1, at, ...changed } }];
}

/** Removes `taxRateIds: null` from the changes of a price without its own tax rates, because this change would have no effect. */
function withoutEmptyReset(
  changes: Partial<PriceDetails>,
  { taxRateIds }: PriceDetails,
): Partial<PriceDetails> {
  if (changes.taxRateIds !== null || taxRateIds) return changes;
  const { taxRateIds: _, ...others } = changes;
  return others;
}

function referencePrice(
  { priceId, planId, planRevision }: Of<'ReferencePrice'>,
  state: PriceState,
): PriceEvent[] {
  requirePrice(priceId, state);
  if (withReference(state.references, planId, planRevision) === state.references) return [];
  return [{ type: 'PriceReferenced', data: { priceId, planId, planRevision } }];
}

/**
 * Appends one event to increase the stream's revision, so that a pending change of the price fails. The pending change began when the
 * stream had one event less than `revision`, and it fails if the stream has more. So one more event is always enough.
 */
function stopPriceChange({ priceId, revision }: Of<'StopPriceChange'>, state: PriceState): PriceEvent[] {
  return state.revision >= revision ? [] : [{ type: 'PriceChangeOvertaken', data: { priceId } }];
}

/** Deletes the price. Existing subscriptions keep the deleted price. */
function deletePrice({ priceId, checkedReferences }: Of<'DeletePrice'>, state: PriceState): PriceEvent[] {
  requirePrice(priceId, state);
  if (!areAllChecked(state.references, checkedReferences))
    throw new Conflict(
      'price_in_use',
      'A plan with this price is being made; take the price out of it first',
    );
  return [{ type: 'PriceDeleted', data: { priceId } }];
}

function evolve(before: PriceState = initialState, event: PriceEvent): PriceState {
  const state = { ...before, revision: before.revision + 1 };
  switch (event.type) {
    case 'PriceCreated': {
      const { priceId, at: createdAt, ...details } = event.data;
      const first = { version: 1, createdAt, ...details };
      return { ...state, price: { priceId, createdAt, deleted: false, versions: [first] } };
    }
    case 'PriceUpdated': {
      const { priceId, at: createdAt, ...details } = event.data;
      const price = requirePrice(priceId, state);
      return { ...state, price: { ...price, versions: [...price.versions, { createdAt, ...details }] } };
    }
    case 'PriceReferenced': {
      const { planId, planRevision } = event.data;
      return { ...state, references: withReference(state.references, planId, planRevision) };
    }
    case 'PriceChangeOvertaken':
      return state;
    case 'PriceDeleted':
      return { ...state, price: { ...requirePrice(event.data.priceId, state), deleted: true } };
  }
}
