import { isDeepStrictEqual } from 'node:util';
import { Conflict, Decimal, InvalidRequest, StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import {
  creditTypeEvents,
  type CreditAllowance,
  type CreditRate,
  type CreditTypeDetails,
  type CreditTypeEvent,
} from './events.js';

/** The state of a credit type, from its events. */
export interface CreditType extends CreditTypeDetails {
  /** The id of the credit type, which a user chose. */
  creditType: string;
  createdAt: Instant;
  /** The rates that were not removed, in the order in which they were added. */
  rates: AddedRate[];
  /** The allowances that were not removed, in the order in which they were added. */
  allowances: AddedAllowance[];
}

/** A rate of a credit type, with the time when it was added. */
export type AddedRate = CreditRate & { createdAt: Instant };
/** An allowance of a credit type, with the time when it was added. */
export type AddedAllowance = CreditAllowance & { createdAt: Instant };

/** The maximum number of rates of one credit type. */
export const MAX_RATES = 1_000;
/** The maximum number of allowances of one credit type. */
export const MAX_ALLOWANCES = 1_000;

export type CreditTypeCommand = { creditType: string; at: Instant } & (
  | { type: 'CreateCreditType'; details: CreditTypeDetails }
  | { type: 'UpdateCreditType'; changes: Partial<CreditTypeDetails> }
  | { type: 'AddCreditRate'; rate: CreditRate }
  | { type: 'RemoveCreditRate'; rateId: string }
  | { type: 'AddCreditAllowance'; allowance: CreditAllowance }
  | { type: 'RemoveCreditAllowance'; allowanceId: string }
);

type Of<Type extends CreditTypeCommand['type']> = Extract<CreditTypeCommand, { type: Type }>;

export const creditTypeDecider = defineDecider<CreditType, CreditTypeCommand, CreditTypeEvent>({
  category: 'creditType',
  events: creditTypeEvents,
  decide(command, state) {
    if (command.type === 'CreateCreditType') return createCreditType(command, state);
    const creditType = requireCreditType(command.creditType, state);
    switch (command.type) {
      case 'UpdateCreditType':
        return updateCreditType(command, creditType);
      case 'AddCreditRate':
        return addRate(command, creditType);
      case 'RemoveCreditRate':
        return removeRate(command, creditType);
      case 'AddCreditAllowance':
        return addAllowance(command, creditType);
      case 'RemoveCreditAllowance':
        return removeAllowance(command, creditType);
    }
  },
  evolve,
});

/** Returns the credit type. Throws NotFound if the credit type was never created. */
export function requireCreditType(type: string, creditType: CreditType | undefined): CreditType {
  if (!creditType) throw NotFound.of('credit type', type);
  return creditType;
}

/**
 * Returns the rates of a metric, sorted by the time when they begin, the latest first. If two rates begin at the same time, the rate that
 * was added last comes first.
 */
export function ratesOf({ rates }: Pick<CreditType, 'rates'>, metricId: string): AddedRate[] {
  return rates
    .filter((rate) => rate.metricId === metricId)
    .reverse()
    .sort((a, b) => (a.effectiveAt < b.effectiveAt ? 1 : a.effectiveAt > b.effectiveAt ? -1 : 0));
}

/**
 * Returns the rate that is in force at an instant: the first rate in the list that has begun. Returns undefined if units of the metric cost
 * no credits at the instant.
 *
 * @param rates the rates of one metric, in the order of {@link ratesOf}
 */
export function rateInForceAt<Rate extends Pick<CreditRate, 'effectiveAt'>>(
  rates: readonly Rate[],
  at: Instant,
): Rate | undefined {
  return rates.find(({ effectiveAt }) => effectiveAt <= at);
}

/** Returns the instant at which the next rate of the same metric replaces this rate. Null if the metric has no later rate. */
export function endOfRate(
  { rates }: Pick<CreditType, 'rates'>,
  { metricId, effectiveAt }: CreditRate,
): Instant | null {
  const later = rates.filter((rate) => rate.metricId === metricId && rate.effectiveAt > effectiveAt);
  return later.map((rate) => rate.effectiveAt).sort()[0] ?? null;
}

function createCreditType(
  { creditType, at, details }: Of<'CreateCreditType'>,
  state: CreditType | undefined,
): CreditTypeEvent[] {
  if (state)
    throw new Conflict(
      'credit_type_already_exists',
      `A credit type "${creditType}" exists already; choose another type or change that one with PATCH`,
      [{ field: 'type', message: 'is taken' }],
    );
  return [{ type: 'CreditTypeCreated', data: { creditType, at, ...details } }];
}

/** Changes the fields that differ. The API refuses a change of the currency, because wallets have credits that were paid in it. */
function updateCreditType(
  { creditType, at, changes }: Of<'UpdateCreditType'>,
  state: CreditType,
): CreditTypeEvent[] {
  const present: CreditTypeDetails = { ...state, nameTranslations: state.nameTranslations ?? {} };
  const changed = Object.entries(changes).filter(
    ([field, value]) =>
      value !== undefined && !isDeepStrictEqual(present[field as keyof CreditTypeDetails], value),
  );
  if (changed.length === 0) return [];
  return [{ type: 'CreditTypeUpdated', data: { creditType, at, ...Object.fromEntries(changed) } }];
}

/** Adds a rate. The rate cannot begin in the past, because past usage was already charged at the earlier rate. */
function addRate({ creditType, at, rate }: Of<'AddCreditRate'>, { rates }: CreditType): CreditTypeEvent[] {
  if (rates.some(({ rateId }) => rateId === rate.rateId)) return [];
  if (rate.effectiveAt < at)
    throw InvalidRequest.field(
      'effectiveAt',
      `must not be before ${at}, the time of the workspace; usage before it has used credits already`,
    );
  const same = rates.find(
    ({ metricId, effectiveAt }) => metricId === rate.metricId && effectiveAt === rate.effectiveAt,
  );
  if (same)
    throw InvalidRequest.field(
      'effectiveAt',
      `must differ from the other rates of the metric: ${same.rateId} begins at that instant; remove that rate or choose another instant`,
    );
  if (rates.length >= MAX_RATES)
    throw new StateConflict(
      'too_many_rates',
      `A credit type has at most ${MAX_RATES} rates; remove those that are no longer needed`,
    );
  return [{ type: 'CreditRateAdded', data: { creditType, at, ...rate } }];
}

function removeRate(
  { creditType, at, rateId }: Of<'RemoveCreditRate'>,
  { rates }: CreditType,
): CreditTypeEvent[] {
  if (!rates.some((rate) => rate.rateId === rateId)) throw NotFound.of('rate', rateId);
  return [{ type: 'CreditRateRemoved', data: { creditType, at, rateId } }];
}

function addAllowance(
  { creditType, at, allowance }: Of<'AddCreditAllowance'>,
  { allowances }: CreditType,
): CreditTypeEvent[] {
  if (allowances.some(({ allowanceId }) => allowanceId === allowance.allowanceId)) return [];
  const { rollover } = allowance;
  if (rollover && new Decimal(rollover.minimum).gt(rollover.maximum))
    throw InvalidRequest.field('rollover.minimum', 'must not be above rollover.maximum');
  if (allowances.length >= MAX_ALLOWANCES)
    throw new StateConflict(
      'too_many_allowances',
      `A credit type has at most ${MAX_ALLOWANCES} allowances; remove those that are no longer needed`,
    );
  return [{ type: 'CreditAllowanceAdded', data: { creditType, at, ...allowance } }];
}

function removeAllowance(
  { creditType, at, allowanceId }: Of<'RemoveCreditAllowance'>,
  { allowances }: CreditType,
): CreditTypeEvent[] {
  if (!allowances.some((allowance) => allowance.allowanceId === allowanceId))
    throw NotFound.of('allowance', allowanceId);
  return [{ type: 'CreditAllowanceRemoved', data: { creditType, at, allowanceId } }];
}

function evolve(state: CreditType | undefined, event: CreditTypeEvent): CreditType {
  if (event.type === 'CreditTypeCreated') {
    const { at: createdAt, ...details } = event.data;
    return { ...details, createdAt, rates: [], allowances: [] };
  }
  const creditType = requireCreated(state, event);
  switch (event.type) {
    case 'CreditTypeUpdated': {
      const { at: _, ...changes } = event.data;
      return { ...creditType, ...changes };
    }
    case 'CreditRateAdded': {
      const { creditType: _, at: createdAt, ...rate } = event.data;
      return { ...creditType, rates: [...creditType.rates, { ...rate, createdAt }] };
    }
    case 'CreditRateRemoved': {
      const { rateId } = event.data;
      return { ...creditType, rates: creditType.rates.filter((rate) => rate.rateId !== rateId) };
    }
    case 'CreditAllowanceAdded': {
      const { creditType: _, at: createdAt, ...allowance } = event.data;
      return { ...creditType, allowances: [...creditType.allowances, { ...allowance, createdAt }] };
    }
    case 'CreditAllowanceRemoved': {
      const { allowanceId } = event.data;
      return {
        ...creditType,
        allowances: creditType.allowances.filter((one) => one.allowanceId !== allowanceId),
      };
    }
  }
}
