import { jsonNumber, type DecimalString, type Instant } from '#libs/kernel/core';
import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { CreditTypeEvent } from './credit-types/events.js';
import type { WalletEvent } from './wallets/events.js';
import { presentBlock } from './wallets/present.js';
import { toWalletBlock, type WalletKey } from './wallets/wallet.js';

const { customerId, periodStart: at, periodEnd: expiresAt } = EXAMPLE;
const wallet = { customerId, creditType: 'ai-credits' };
const blockId = 'blk_01JD0000000000000EXAMPLE21';
const granted: WalletEvent[] = [
  {
    type: 'CreditsGranted',
    data: {
      ...wallet,
      at,
      balance: '500',
      blockId,
      amount: '500',
      source: 'promotional',
      priority: 0,
      effectiveAt: at,
      expiresAt,
      costBasis: null,
      currency: 'USD',
      description: 'Welcome',
    },
  },
];

const purchase = { blockId: 'blk_01JD0000000000000EXAMPLE22', invoiceId: EXAMPLE.invoiceId };
const bought: WalletEvent[] = [
  {
    type: 'CreditPurchaseCreated',
    data: {
      ...wallet,
      ...purchase,
      at,
      balance: '0',
      amount: '1000',
      unitPrice: '0.01',
      currency: 'USD',
      collection: 'charge',
      description: null,
    },
  },
  {
    type: 'CreditPurchaseActivated',
    data: {
      ...wallet,
      ...purchase,
      at,
      balance: '1000',
      amount: '1000',
      source: 'purchase',
      priority: 10,
      effectiveAt: at,
      expiresAt: null,
      costBasis: '10.00',
      currency: 'USD',
      description: null,
      timezone: 'UTC',
    },
  },
];
const low: WalletEvent[] = [
  ...bought,
  { type: 'WalletBalanceLow', data: { ...wallet, at, balance: '90', threshold: '100' } },
];
const depleted: WalletEvent[] = [
  ...bought,
  { type: 'WalletBalanceDepleted', data: { ...wallet, at, balance: '0' } },
];

const blocked: WalletEvent[] = [
  ...bought,
  { type: 'PurchasedCreditsBlocked', data: { ...wallet, ...purchase, at, balance: '600', amount: '400' } },
];

/** The webhook events about credits. Each webhook message contains the wallet's balance right after the event. */
export const webhookEvents: WebhookEvents<CreditTypeEvent | WalletEvent> = {
  names: [
    'credit.grant',
    'credit.expired',
    'credit.purchase_activated',
    'credit.taken_back',
    'credit.blocked',
    'credit.released',
    'credit.balance_low',
    'credit.balance_depleted',
    'credit.balance_recovered',
  ],
  messages: {
    CreditsGranted: (data) => ({
      event: 'credit.grant',
      data: { ...presentBlock(data, toWalletBlock(data), data.at), balance: jsonNumber(data.balance) },
    }),
    CreditsExpired: ({ at: expiredAt, balance, amount, ...block }) => ({
      event: 'credit.expired',
      data: { ...block, amount: jsonNumber(amount), balance: jsonNumber(balance), expiredAt },
    }),
    CreditPurchaseActivated: (data) => ({
      event: 'credit.purchase_activated',
      data: { ...presentBlock(data, toWalletBlock(data), data.at), balance: jsonNumber(data.balance) },
    }),
    PurchasedCreditsTakenBack: ({ cause, ...data }) => ({
      event: 'credit.taken_back',
      data: { ...presentReturn(data), cause },
    }),
    PurchasedCreditsBlocked: (data) => ({ event: 'credit.blocked', data: presentReturn(data) }),
    PurchasedCreditsReleased: (data) => ({ event: 'credit.released', data: presentReturn(data) }),
    WalletBalanceLow: ({ threshold, ...data }) => ({
      event: 'credit.balance_low',
      data: { ...presentBalance(data), threshold: jsonNumber(threshold) },
    }),
    WalletBalanceDepleted: (data) => ({ event: 'credit.balance_depleted', data: presentBalance(data) }),
    WalletBalanceRecovered: (data) => ({ event: 'credit.balance_recovered', data: presentBalance(data) }),
  },
  resources: [],
  examples: {
    'credit.grant': granted,
    'credit.expired': [
      ...granted,
      { type: 'CreditsExpired', data: { ...wallet, at: expiresAt, blockId, amount: '120', balance: '0' } },
    ],
    'credit.purchase_activated': bought,
    'credit.taken_back': [
      ...bought,
      {
        type: 'PurchasedCreditsTakenBack',
        data: { ...wallet, ...purchase, at, balance: '600', amount: '400', cause: 'refund' },
      },
    ],
    'credit.blocked': blocked,
    'credit.released': [
      ...blocked,
      {
        type: 'PurchasedCreditsReleased',
        data: { ...wallet, ...purchase, at, balance: '1000', amount: '400' },
      },
    ],
    'credit.balance_low': low,
    'credit.balance_depleted': depleted,
    'credit.balance_recovered': [
      ...depleted,
      { type: 'WalletBalanceRecovered', data: { ...wallet, at, balance: '1000' } },
    ],
  },
};

/** The part of a purchase's credits that a refund or a dispute of the purchase concerns. */
function presentReturn({
  customerId: customer,
  creditType,
  blockId: block,
  invoiceId,
  amount,
  balance,
  at: changedAt,
}: Extract<WalletEvent, { type: 'PurchasedCreditsBlocked' }>['data']) {
  return {
    customerId: customer,
    creditType,
    blockId: block,
    invoiceId,
    amount: jsonNumber(amount),
    balance: jsonNumber(balance),
    at: changedAt,
  };
}

function presentBalance({ balance, ...data }: WalletKey & { at: Instant; balance: DecimalString }) {
  return { ...data, balance: jsonNumber(balance) };
}
