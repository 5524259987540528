import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { CreditTypeEvent } from './credit-types/events.js';
import type { WalletEvent } from './wallets/events.js';

export const auditTrailRules: AuditTrailRules<CreditTypeEvent | WalletEvent> = {
  CreditTypeCreated: {
    action: 'credit_type.created',
    id: 'creditType',
    show: ['name', 'currency', 'overage', 'expiresAfterDays', 'onPurchaseReturned'],
    showAs: { unitPrice: jsonNumber },
  },
  CreditTypeUpdated: { action: 'credit_type.updated', id: 'creditType', changes: true },
  CreditRateAdded: {
    action: 'credit_type.rate_added',
    id: 'creditType',
    show: ['rateId', 'metricId', 'effectiveAt'],
    showAs: { creditsPerUnit: jsonNumber },
  },
  CreditRateRemoved: { action: 'credit_type.rate_removed', id: 'creditType', show: ['rateId'] },
  CreditAllowanceAdded: {
    action: 'credit_type.allowance_added',
    id: 'creditType',
    show: ['allowanceId', 'planId', 'every', 'priority'],
    showAs: { credits: jsonNumber },
  },
  CreditAllowanceRemoved: {
    action: 'credit_type.allowance_removed',
    id: 'creditType',
    show: ['allowanceId'],
  },
  CreditsGranted: {
    action: 'wallet.credits_granted',
    id: 'customerId',
    show: ['creditType', 'blockId', 'source', 'priority', 'effectiveAt', 'expiresAt', 'currency'],
    showAs: { amount: jsonNumber, balance: jsonNumber, costBasis: numberOrNull },
  },
  // The trail leaves out credits that usage has drawn. They are in the ledger of the wallet, and no user decided about them.
  CreditsDrawnDown: INTERNAL,
  CreditsExpired: {
    action: 'wallet.credits_expired',
    id: 'customerId',
    show: ['creditType', 'blockId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  // The reason is not shown, because a user wrote it and it can name a person.
  CreditsVoided: {
    action: 'wallet.credits_voided',
    id: 'customerId',
    show: ['creditType'],
    showAs: {
      amount: jsonNumber,
      balance: jsonNumber,
      draws: (draws) => draws.map(({ blockId, amount }) => ({ blockId, amount: jsonNumber(amount) })),
      creditNote: (creditNote) => creditNote && { invoiceId: creditNote.invoiceId },
    },
  },
  CreditPurchaseCreated: {
    action: 'wallet.purchase_created',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId', 'currency', 'expiresAt', 'collection', 'topUp'],
    showAs: { amount: jsonNumber, unitPrice: numberOrNull },
  },
  CreditPurchaseActivated: {
    action: 'wallet.purchase_activated',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId', 'expiresAt'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  CreditPurchaseVoided: {
    action: 'wallet.purchase_voided',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId'],
    showAs: { amount: jsonNumber },
  },
  PurchasedCreditsTakenBack: {
    action: 'wallet.credits_taken_back',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId', 'cause'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  PurchasedCreditsBlocked: {
    action: 'wallet.credits_blocked',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  PurchasedCreditsReleased: {
    action: 'wallet.credits_released',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  AutoTopUpSet: {
    action: 'wallet.auto_top_up_set',
    id: 'customerId',
    show: ['creditType', 'currency', 'maxPerMonth', 'enabled'],
    showAs: { threshold: jsonNumber, credits: jsonNumber, unitPrice: numberOrNull },
  },
  AutoTopUpRemoved: { action: 'wallet.auto_top_up_removed', id: 'customerId', show: ['creditType'] },
  // The trail leaves out the following events, because they result from other events that it shows.
  CreditOverageBilled: INTERNAL,
  CreditOverageReturned: INTERNAL,
  CreditsUsedInvoiced: INTERNAL,
  CreditsUsedReturned: INTERNAL,
  CreditPurchaseWrittenOff: INTERNAL,
  AutoTopUpDeferred: INTERNAL,
  CreditsRefused: INTERNAL,
  WalletBalanceLow: INTERNAL,
  WalletBalanceDepleted: INTERNAL,
  WalletBalanceRecovered: INTERNAL,
};

function numberOrNull(decimal: DecimalString | null): number | null {
  return decimal === null ? null : jsonNumber(decimal);
}
