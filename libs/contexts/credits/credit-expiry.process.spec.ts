import { describe, it } from '@jest/globals';
import { react, recordedEvent } from '#libs/kernel/testing';
import { CreditExpiryProcess } from './credit-expiry.process.js';
import type { WalletEvent } from './wallets/events.js';

const process = new CreditExpiryProcess(
  ...([] as unknown as ConstructorParameters<typeof CreditExpiryProcess>),
);
const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const granted = (expiresAt: string | null): WalletEvent => ({
  type: 'CreditsGranted',
  data: {
    ...key,
    at: '2026-01-01T00:00:00.000Z',
    balance: '5',
    blockId: 'blk_1',
    amount: '5',
    source: 'grant',
    priority: 10,
    effectiveAt: '2026-01-01T00:00:00.000Z',
    expiresAt,
    costBasis: null,
    currency: 'USD',
    description: null,
  },
});
const { when } = react(process);

describe('credits', () => {
  it('end at the expiry of their block, if it has one', () => {
    const dueAt = '2026-01-15T00:00:00.000Z';
    when(recordedEvent('wallet-acc_1.cust_1.ai-credits', granted(dueAt))).then({
      name: 'expire-block',
      payload: { ...key, blockId: 'blk_1' },
      dueAt,
    });
    when(recordedEvent('wallet-acc_1.cust_1.ai-credits', granted(null))).then();
  });
});
