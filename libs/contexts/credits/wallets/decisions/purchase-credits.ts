import { deriveId, InvalidRequest, roundToCurrency, Decimal } from '#libs/kernel/core';
import type { GrantedBlock, WalletEvent } from '../events.js';
import { DEFAULT_PRIORITY } from '../events.js';
import { balanceAt, grantedBlock, keyOf, type Wallet } from '../wallet.js';
import { defaultExpiry, requireCurrency, requireRoomForBlock } from './grant-credits.js';
import type { WalletCommandOf } from './wallet-command.js';

/** The id of the invoice for a block. It is derived, so that a purchase has only one invoice. */
export function purchaseInvoiceId(blockId: string): string {
  return deriveId('inv', 'credit-purchase', blockId);
}

/** Creates a purchase that is not paid yet. It is refused if the credits cost less than the smallest unit of the currency. */
export function purchaseCredits(
  { at, blockId, purchase, terms }: WalletCommandOf<'PurchaseCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const { unitPrice = terms.unitPrice, currency = terms.currency, expiresAt, ...fields } = purchase;
  requireCurrency(currency, terms);
  if (expiresAt !== undefined && expiresAt !== null && expiresAt <= at)
    throw InvalidRequest.field('expiresAt', `must be after ${at}, the time of the workspace`);
  if (roundToCurrency(new Decimal(fields.amount).times(unitPrice), currency).isZero())
    throw new InvalidRequest(
      'nothing_to_pay',
      `${fields.amount} credits at ${unitPrice} ${currency} cost nothing; buy more of them, or grant them with POST …/grants`,
    );
  requireRoomForBlock(wallet);
  const bought = {
    ...{ ...fields, blockId, invoiceId: purchaseInvoiceId(blockId), unitPrice, currency },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  const data = { ...keyOf(wallet), at, balance: balanceAt(wallet, at), ...bought };
  return [{ type: 'CreditPurchaseCreated', data }];
}

/** Adds the block of a paid purchase. Its credits can be used from now on. */
export function activatePurchase(
  { at, blockId, costBasis, timezone, terms }: WalletCommandOf<'ActivatePurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const purchase = wallet.unpaid.find((one) => one.blockId === blockId);
  if (!purchase) return [];
  const { amount, currency, description, invoiceId, expiresAt = defaultExpiry(at, terms) } = purchase;
  const block: GrantedBlock & { invoiceId: string } = {
    ...{ blockId, amount, source: 'purchase', priority: DEFAULT_PRIORITY, effectiveAt: at, expiresAt },
    ...{ costBasis, currency, description, invoiceId },
  };
  const data = { ...keyOf(wallet), at, ...block, timezone };
  const balance = balanceAt({ blocks: [...wallet.blocks, grantedBlock(data)] }, at);
  return [{ type: 'CreditPurchaseActivated', data: { ...data, balance } }];
}

/** Ends a purchase whose invoice was voided. */
export function voidPurchase(
  { at, blockId }: WalletCommandOf<'VoidPurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const purchase = wallet.unpaid.find((one) => one.blockId === blockId);
  if (!purchase) return [];
  const { invoiceId, amount } = purchase;
  const data = { ...keyOf(wallet), at, balance: balanceAt(wallet, at), blockId, invoiceId, amount };
  return [{ type: 'CreditPurchaseVoided', data }];
}
