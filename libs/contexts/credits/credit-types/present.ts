import { jsonNumber } from '#libs/kernel/core';
import { DEFAULT_RETURNED_PURCHASE_POLICY } from './events.js';
import { endOfRate, type AddedAllowance, type AddedRate, type CreditType } from './credit-type.js';

/** Converts a credit type to its form in the API. */
export function presentCreditType(creditType: CreditType) {
  return {
    type: creditType.creditType,
    name: creditType.name,
    nameTranslations: creditType.nameTranslations ?? {},
    unitPrice: jsonNumber(creditType.unitPrice),
    currency: creditType.currency,
    overage: creditType.overage,
    overagePrice: creditType.overagePrice === null ? null : jsonNumber(creditType.overagePrice),
    expiresAfterDays: creditType.expiresAfterDays,
    onPurchaseReturned: creditType.onPurchaseReturned ?? DEFAULT_RETURNED_PURCHASE_POLICY,
    createdAt: creditType.createdAt,
  };
}

/** Converts a rate of a credit type to its form in the API. */
export function presentRate(creditType: CreditType, rate: AddedRate) {
  return {
    id: rate.rateId,
    metricId: rate.metricId,
    creditsPerUnit: jsonNumber(rate.creditsPerUnit),
    groups: rate.groups.map(({ when, creditsPerUnit }) => ({
      when,
      creditsPerUnit: jsonNumber(creditsPerUnit),
    })),
    effectiveAt: rate.effectiveAt,
    endsAt: endOfRate(creditType, rate),
    createdAt: rate.createdAt,
  };
}

/** Converts an allowance to its form in the API. */
export function presentAllowance(allowance: AddedAllowance) {
  const { rollover } = allowance;
  return {
    id: allowance.allowanceId,
    planId: allowance.planId,
    credits: jsonNumber(allowance.credits),
    every: allowance.every,
    priority: allowance.priority,
    rollover: rollover && {
      minimum: jsonNumber(rollover.minimum),
      maximum: jsonNumber(rollover.maximum),
    },
    onPlanChange: allowance.onPlanChange ?? 'prorated',
    createdAt: allowance.createdAt,
  };
}
