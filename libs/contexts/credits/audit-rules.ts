import { jsonNumber } from '#libs/kernel/core';
import { INTERNAL, type AuditRules } from '#libs/manifest';
import type { CreditTypeEvent } from './credit-types/events.js';
import type { WalletEvent } from './wallets/events.js';

export const auditRules: AuditRules<CreditTypeEvent | WalletEvent> = {
  CreditTypeCreated: {
    action: 'credit_type.created',
    id: 'creditType',
    show: ['name', 'currency', 'overage', 'expiresAfterDays'],
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
    show: ['creditType', 'blockId', 'source', 'priority', 'effectiveAt', 'expiresAt'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  // What usage has drawn is in the ledger of the wallet. Nobody has decided it.
  CreditsDrawnDown: INTERNAL,
  CreditsExpired: {
    action: 'wallet.credits_expired',
    id: 'customerId',
    show: ['creditType', 'blockId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  CreditsVoided: {
    action: 'wallet.credits_voided',
    id: 'customerId',
    show: ['creditType'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  CreditPurchaseCreated: {
    action: 'wallet.purchase_created',
    id: 'customerId',
    show: ['creditType', 'blockId', 'invoiceId', 'currency', 'collection', 'topUp'],
    showAs: { amount: jsonNumber },
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
  AutoTopUpSet: {
    action: 'wallet.auto_top_up_set',
    id: 'customerId',
    show: ['creditType', 'currency', 'maxPerMonth', 'enabled'],
    showAs: { threshold: jsonNumber, credits: jsonNumber },
  },
  AutoTopUpRemoved: { action: 'wallet.auto_top_up_removed', id: 'customerId', show: ['creditType'] },
  // The following events result from others, which the trail shows.
  CreditOverageBilled: INTERNAL,
  CreditOverageReturned: INTERNAL,
  AutoTopUpDeferred: INTERNAL,
  WalletBalanceLow: INTERNAL,
  WalletBalanceDepleted: INTERNAL,
  WalletBalanceRecovered: INTERNAL,
};
