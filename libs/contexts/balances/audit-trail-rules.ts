import { jsonNumber } from '#libs/kernel/core';
import type { AuditTrailRules } from '#libs/manifest';
import type { BalanceEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<BalanceEvent> = {
  BalanceCredited: {
    action: 'balance.credited',
    id: 'customerId',
    show: ['currency', 'source', 'sourceId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceApplied: {
    action: 'balance.applied',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceDebtApplied: {
    action: 'balance.debt_applied',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceDebtReturned: {
    action: 'balance.debt_returned',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceReturned: {
    action: 'balance.returned',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceDebited: {
    action: 'balance.debited',
    id: 'customerId',
    show: ['currency', 'creditNoteId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceWithdrawn: {
    action: 'balance.withdrawn',
    id: 'customerId',
    show: ['currency', 'paymentId', 'invoiceId', 'carried'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceWithdrawalReturned: {
    action: 'balance.withdrawal_returned',
    id: 'customerId',
    show: ['currency', 'paymentId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceExcessRemoved: {
    action: 'balance.excess_removed',
    id: 'customerId',
    show: ['currency', 'paymentId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceTakenBack: {
    action: 'balance.taken_back',
    id: 'customerId',
    show: ['currency', 'invoiceId', 'returnId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceAdjusted: {
    action: 'balance.adjusted',
    id: 'customerId',
    show: ['currency', 'adjustmentId', 'change', 'method'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
};
