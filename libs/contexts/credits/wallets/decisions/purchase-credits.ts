import {
  deriveId,
  InvalidRequest,
  roundToCurrency,
  Decimal,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { GrantedBlock, WalletEvent } from '../events.js';
import { DEFAULT_BLOCK_PRIORITY } from '../events.js';
import { balanceAt, toWalletBlock, walletKeyOf, type UnpaidPurchase, type Wallet } from '../wallet.js';
import { defaultExpiry, requireCreditTypeCurrency, requireRoomForBlock } from './grant-credits.js';
import type { WalletCommandOf } from './wallet-command.js';

/** Returns the id of the invoice for a block. The id is derived from the block's id, so that a purchase has only one invoice. */
export function purchaseInvoiceId(blockId: string): string {
  return deriveId('inv', 'credit-purchase', blockId);
}

/** Creates a purchase that is not paid yet. Refuses credits whose price rounds to zero in the currency. */
export function purchaseCredits(
  { at, blockId, purchase, terms }: WalletCommandOf<'PurchaseCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const { unitPrice = terms.unitPrice, currency = terms.currency, expiresAt, ...fields } = purchase;
  requireCreditTypeCurrency(currency, terms);
  if (expiresAt !== undefined && expiresAt !== null && expiresAt <= at)
    throw InvalidRequest.field('expiresAt', `must be after ${at}, the time of the workspace`);
  requireCostAboveZero(fields.amount, unitPrice, currency);
  requireRoomForBlock(wallet);
  const bought = {
    ...fields,
    blockId,
    invoiceId: purchaseInvoiceId(blockId),
    unitPrice,
    currency,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), ...bought };
  return [{ type: 'CreditPurchaseCreated', data }];
}

/** Refuses credits whose price rounds to zero in the currency. */
export function requireCostAboveZero(
  credits: DecimalString,
  unitPrice: DecimalString,
  currency: string,
): void {
  if (roundToCurrency(new Decimal(credits).times(unitPrice), currency).isZero())
    throw new InvalidRequest(
      'nothing_to_pay',
      `${credits} credits at ${unitPrice} ${currency} cost nothing; buy more of them, or grant them with POST …/grants`,
    );
}

/** Adds the block of a paid purchase. The credits of the paid block can be used from now on. */
export function activatePurchase(
  { at, blockId, costBasis, timezone, terms }: WalletCommandOf<'ActivatePurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const purchase = wallet.unpaid.find((one) => one.blockId === blockId);
  if (!purchase) return [];
  const { amount, currency, description, invoiceId } = purchase;
  const expiresAt = expiryOf(purchase, at, terms);
  const block: GrantedBlock & { invoiceId: string } = {
    blockId,
    amount,
    source: 'purchase',
    priority: DEFAULT_BLOCK_PRIORITY,
    effectiveAt: at,
    expiresAt,
    costBasis,
    currency,
    description,
    invoiceId,
  };
  const data = { ...walletKeyOf(wallet), at, ...block, timezone };
  const balance = balanceAt({ blocks: [...wallet.blocks, toWalletBlock(data)] }, at);
  return [{ type: 'CreditPurchaseActivated', data: { ...data, balance } }];
}

/**
 * Returns the instant at which bought credits expire if their invoice was paid at the instant `at`. If the requested expiry passed before
 * the payment, the default expiry of the credit type applies.
 */
function expiryOf(
  { expiresAt }: UnpaidPurchase,
  at: Instant,
  terms: WalletCommandOf<'ActivatePurchase'>['terms'],
): Instant | null {
  if (expiresAt === undefined || (expiresAt !== null && expiresAt <= at)) return defaultExpiry(at, terms);
  return expiresAt;
}

/** Ends a purchase whose invoice was voided. */
export function voidPurchase(
  { at, blockId }: WalletCommandOf<'VoidPurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const purchase = wallet.unpaid.find((one) => one.blockId === blockId);
  if (!purchase) return [];
  const { invoiceId, amount } = purchase;
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), blockId, invoiceId, amount };
  return [{ type: 'CreditPurchaseVoided', data }];
}

/** Records that the invoice of a purchase was written off. The purchase stays unpaid, because the invoice can still be paid. */
export function writeOffPurchase(
  { at, blockId }: WalletCommandOf<'WriteOffPurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const purchase = wallet.unpaid.find((one) => one.blockId === blockId);
  if (!purchase || purchase.writtenOff) return [];
  const { invoiceId, amount } = purchase;
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), blockId, invoiceId, amount };
  return [{ type: 'CreditPurchaseWrittenOff', data }];
}
