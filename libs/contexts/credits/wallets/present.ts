import { jsonNumber, type Instant } from '#libs/kernel/core';
import { sortByBurnOrder } from '#libs/rating';
import { DEFAULT_BLOCK_PRIORITY, type AllowanceOfBlock, type AutoTopUpSettings } from './events.js';
import { balanceAt, type UnpaidPurchase, type Wallet, type WalletBlock, type WalletKey } from './wallet.js';

/**
 * `pending_payment`: the credits were bought, and their invoice is not paid. `scheduled`: the credits cannot be used yet. `active`: they
 * can be used.
 */
export const BLOCK_STATUSES = ['pending_payment', 'scheduled', 'active'] as const;

/**
 * Converts a wallet to its form in the API, at an instant of the workspace's clock. The API form lists the blocks with credits left, in the
 * order in which usage draws credits from them. Blocks that are not paid yet are listed after the usable blocks.
 */
export function presentWallet(wallet: Wallet, at: Instant) {
  const { customerId, creditType, blocks, unpaid } = wallet;
  const left = blocks.filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
  return {
    customerId,
    creditType,
    balance: jsonNumber(balanceAt(wallet, at)),
    blocks: [
      ...sortByBurnOrder(left).map((block) => presentBlock(wallet, block, at)),
      ...unpaid.map((purchase) => presentUnpaidPurchase(wallet, purchase)),
    ],
  };
}

/** Converts a block to its form in the API, at an instant of the workspace's clock. */
export function presentBlock({ customerId, creditType }: WalletKey, block: WalletBlock, at: Instant) {
  return {
    id: block.blockId,
    customerId,
    creditType,
    source: block.source,
    status: block.effectiveAt > at ? ('scheduled' as const) : ('active' as const),
    amount: jsonNumber(block.amount),
    remaining: jsonNumber(block.remaining),
    blocked: jsonNumber(block.blocked ?? '0'),
    priority: block.priority,
    effectiveAt: block.effectiveAt,
    expiresAt: block.expiresAt,
    costBasis: block.costBasis === null ? null : jsonNumber(block.costBasis),
    currency: block.currency,
    description: block.description,
    invoiceId: block.invoiceId ?? null,
    allowance: block.allowance ? presentAllowanceOfBlock(block.allowance) : null,
    createdAt: block.createdAt,
  };
}

/** Converts an unpaid purchase to the form of a block. The credits of an unpaid purchase cannot be used yet, so `remaining` is 0. */
export function presentUnpaidPurchase({ customerId, creditType }: WalletKey, purchase: UnpaidPurchase) {
  const { blockId, amount, expiresAt, currency, description, invoiceId, createdAt } = purchase;
  return {
    id: blockId,
    customerId,
    creditType,
    source: 'purchase' as const,
    status: 'pending_payment' as const,
    amount: jsonNumber(amount),
    remaining: 0,
    blocked: 0,
    priority: DEFAULT_BLOCK_PRIORITY,
    effectiveAt: null,
    expiresAt: expiresAt ?? null,
    costBasis: null,
    currency,
    description,
    invoiceId,
    createdAt,
    allowance: null,
  };
}

function presentAllowanceOfBlock({ allowanceId, subscriptionId, rolledOver }: AllowanceOfBlock) {
  return { id: allowanceId, subscriptionId, rolledOver: jsonNumber(rolledOver) };
}

/** Converts an automatic top-up to its form in the API. */
export function presentAutoTopUp(
  { customerId, creditType }: WalletKey,
  { threshold, credits, unitPrice, currency, maxPerMonth, enabled }: AutoTopUpSettings,
) {
  return {
    customerId,
    creditType,
    threshold: jsonNumber(threshold),
    credits: jsonNumber(credits),
    unitPrice: unitPrice === null ? null : jsonNumber(unitPrice),
    currency,
    maxPerMonth,
    enabled,
  };
}
