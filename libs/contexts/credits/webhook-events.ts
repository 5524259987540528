import { jsonNumber } from '#libs/kernel/core';
import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { CreditTypeEvent } from './credit-types/events.js';
import type { WalletEvent } from './wallets/events.js';
import { presentBlock } from './wallets/present.js';
import { grantedBlock } from './wallets/wallet.js';

const { customerId, periodStart: at, periodEnd: expiresAt } = EXAMPLE;
const wallet = { customerId, creditType: 'ai-credits' };
const blockId = 'blk_01JD0000000000000EXAMPLE21';
const granted: WalletEvent[] = [
  {
    type: 'CreditsGranted',
    data: {
      ...{ ...wallet, at, balance: '500', blockId, amount: '500', source: 'promotional', priority: 0 },
      ...{ effectiveAt: at, expiresAt, costBasis: null, currency: 'USD', description: 'Welcome' },
    },
  },
];

/** The webhook events about credits. A message has the credits that can be used right after the event. */
export const webhookEvents: WebhookEvents<CreditTypeEvent | WalletEvent> = {
  names: ['credit.grant', 'credit.expired'],
  messages: {
    CreditsGranted: (data) => ({
      event: 'credit.grant',
      data: { ...presentBlock(data, grantedBlock(data), data.at), balance: jsonNumber(data.balance) },
    }),
    CreditsExpired: ({ at: expiredAt, balance, amount, ...block }) => ({
      event: 'credit.expired',
      data: { ...block, amount: jsonNumber(amount), balance: jsonNumber(balance), expiredAt },
    }),
  },
  resources: [],
  examples: {
    'credit.grant': granted,
    'credit.expired': [
      ...granted,
      { type: 'CreditsExpired', data: { ...wallet, at: expiresAt, blockId, amount: '120', balance: '0' } },
    ],
  },
};
