import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { withChanges } from '../details.js';
import { areSettled, requireRevision, withReference, type References } from '../references.js';
import { priceEvents, type PriceDetails, type PriceEvent } from './events.js';
import { checkPrice } from './price-rules.js';

/** One version of a price; the last one is what new subscriptions get. */
export interface PriceVersion extends PriceDetails {
  version: number;
  createdAt: Instant;
}

/** A price as its events tell. */
export interface Price {
  priceId: string;
  createdAt: Instant;
  deleted: boolean;
  versions: PriceVersion[];
}

/** What a price's stream tells. There can be a stream and no price, when its creation was overtaken. */
export interface PriceState {
  /** How many events the stream has: what a change that names a metric is conditioned on. */
  revision: number;
  /** The plans that offer the price, or did, or were about to. */
  references: References;
  price: Price | null;
}

export type PriceCommand =
  | { type: 'CreatePrice'; at: Instant; priceId: string; revision: number; details: PriceDetails }
  /** `revision`: if the change names another metric, the one that the metric's reference was left for, less one. */
  | { type: 'UpdatePrice'; at: Instant; priceId: string; revision?: number; changes: Partial<PriceDetails> }
  | { type: 'ReferencePrice'; priceId: string; planId: string; planRevision: number }
  /** Makes sure that no change can any more be made on a revision before this one. */
  | { type: 'OvertakePriceChange'; priceId: string; revision: number }
  /** `settled`: the references that were looked at and found not to use the price, now or later. */
  | { type: 'DeletePrice'; priceId: string; settled: References };

type Of<Type extends PriceCommand['type']> = Extract<PriceCommand, { type: Type }>;

const initialState: PriceState = { revision: 0, references: {}, price: null };

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
      case 'OvertakePriceChange':
        return overtakePriceChange(command, state);
      case 'DeletePrice':
        return deletePrice(command, state);
    }
  },
  evolve,
});

/** The price, or NotFound if it was never created or is deleted. */
export function requirePrice(priceId: string, state: PriceState | undefined): Price {
  if (!state?.price || state.price.deleted) throw NotFound.of('price', priceId);
  return state.price;
}

/** The newest version. */
export function currentPriceVersion(price: Price): PriceVersion {
  return price.versions.at(-1)!;
}

/** Whether the price charges for the metric: in any version, since subscriptions stay on theirs. */
export function chargesFor(state: PriceState | undefined, metricId: string): Price | undefined {
  const price = state?.price;
  if (!price || price.deleted) return undefined;
  return price.versions.some((version) => version.metricId === metricId) ? price : undefined;
}

/** A price's id derives from the command that creates it, so one that is there was created by this command. */
function createPrice({ at, priceId, revision, details }: Of<'CreatePrice'>, state: PriceState): PriceEvent[] {
  if (state.price) return [];
  checkPrice(details);
  requireRevision(state.revision, revision);
  return [{ type: 'PriceCreated', data: { priceId, at, ...details } }];
}

function updatePrice(
  { at, priceId, revision, changes }: Of<'UpdatePrice'>,
  state: PriceState,
  price: Price,
): PriceEvent[] {
  const { version, createdAt: _, ...details } = currentPriceVersion(price);
  const changed = withChanges<PriceDetails>(details, withoutEmptyReset(changes, details));
  if (!changed) return [];
  if (changed.config.currency !== details.config.currency)
    throw InvalidRequest.field(
      'config.currency',
      `must stay ${details.config.currency}; make a new price for another currency`,
    );
  checkPrice(changed);
  if (revision !== undefined) requireRevision(state.revision, revision);
  return [{ type: 'PriceUpdated', data: { priceId, version: version + 1, at, ...changed } }];
}

/** Taking the tax rates off a price that names none makes no difference. */
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

/** A reference is left for the revision after the one that was seen, so a single event is always enough. */
function overtakePriceChange(
  { priceId, revision }: Of<'OvertakePriceChange'>,
  state: PriceState,
): PriceEvent[] {
  return state.revision >= revision ? [] : [{ type: 'PriceChangeOvertaken', data: { priceId } }];
}

/** Subscriptions that have the price keep it. */
function deletePrice({ priceId, settled }: Of<'DeletePrice'>, state: PriceState): PriceEvent[] {
  requirePrice(priceId, state);
  if (!areSettled(state.references, settled))
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
