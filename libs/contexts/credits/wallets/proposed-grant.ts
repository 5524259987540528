import type { ActionTerm, ProposedAction } from '#libs/contexts/approvals';
import { Decimal, moneyString, type DecimalString, type Instant } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import type { CreditTypeDetails } from '../credit-types/events.js';
import { walletDecider } from './decider.js';
import type { CreditGrantRequest, WalletCommandOf } from './decisions/wallet-command.js';
import type { AutoTopUpSettings } from './events.js';
import { balanceAt, type Wallet, type WalletKey } from './wallet.js';

/**
 * Describes a grant in its approval request. Throws an error if the wallet refuses the grant. The amount is the cost of the granted credits
 * at the `unitPrice` of their credit type. The amount is null if the credit type has no price. `costBasis` is ignored, because the person
 * who requests the grant chooses it.
 */
export function describeProposedGrant(
  wallet: Wallet,
  {
    change,
    terms,
    at,
  }: {
    change: Pick<WalletCommandOf<'GrantCredits'>, 'type' | 'blockId' | 'grant' | 'terms'>;
    terms: Pick<CreditTypeDetails, 'name' | 'unitPrice' | 'currency' | 'expiresAfterDays'>;
    at: Instant;
  },
): Omit<ProposedAction, 'command'> {
  const { customerId, creditType } = wallet;
  const command = { ...change, customerId, creditType, at, topUpBlockId: '' };
  const after = fold(walletDecider, walletDecider.decide(command, wallet), wallet)!;
  const { amount: credits, description: reason } = change.grant;
  const price = new Decimal(terms.unitPrice);
  const currency = price.isZero() ? null : terms.currency;
  const amount = currency === null ? null : moneyString(price.times(credits), currency);
  return {
    customerId,
    resource: { type: 'wallet', id: creditType },
    amount,
    currency,
    reason,
    effectiveAt: null,
    terms: [{ name: 'credits', value: credits, isNumber: true }, ...expiryTerms(change.grant, terms)],
    lines: [{ description: `${credits} credits: ${terms.name}`, amount }],
    changes: [
      { field: 'balance', before: balanceAt(wallet, at), after: balanceAt(after, at), isNumber: true },
    ],
  };
}

/** A sale of credits at a price of its own. */
export interface OwnPrice {
  /** The number of credits that are bought, or that each automatic top-up buys. */
  readonly credits: DecimalString;
  /** The price of one credit. Null if it is that of the credit type. */
  readonly unitPrice: DecimalString | null;
}

/** Tells whether credits are sold below the `unitPrice` of their type. The difference is then given away, as by a grant. */
export function isBelowListPrice(
  { unitPrice }: OwnPrice,
  { unitPrice: listPrice }: Pick<CreditTypeDetails, 'unitPrice'>,
): boolean {
  return unitPrice !== null && new Decimal(unitPrice).lt(listPrice);
}

/**
 * Describes a purchase below the list price in its approval request. The amount is the part of the price that is given away. Expects a
 * purchase for which {@link isBelowListPrice} is true.
 */
export function describeDiscountedPurchase(
  { customerId, creditType }: WalletKey,
  { credits, unitPrice, description }: OwnPrice & { unitPrice: DecimalString; description: string | null },
  terms: Pick<CreditTypeDetails, 'name' | 'unitPrice' | 'currency'>,
): Omit<ProposedAction, 'command'> {
  const { currency, name, unitPrice: listPrice } = terms;
  const given = new Decimal(listPrice).minus(unitPrice).times(credits);
  const price = moneyString(new Decimal(unitPrice).times(credits), currency);
  return {
    customerId,
    resource: { type: 'wallet', id: creditType },
    amount: moneyString(given, currency),
    currency,
    reason: description,
    effectiveAt: null,
    terms: [
      { name: 'credits', value: credits, isNumber: true },
      { name: 'unitPrice', value: unitPrice, isNumber: true },
      { name: 'listPrice', value: listPrice, isNumber: true },
    ],
    lines: [{ description: `${credits} credits: ${name}`, amount: price }],
    changes: [{ field: 'unitPrice', before: listPrice, after: unitPrice, isNumber: true }],
  };
}

/**
 * Describes an automatic top-up below the list price in its approval request. There is no amount, since nobody knows how often credits will
 * be bought. Expects settings for which {@link isBelowListPrice} is true.
 */
export function describeDiscountedTopUp(
  { customerId, creditType }: WalletKey,
  settings: Omit<AutoTopUpSettings, 'currency'>,
  { name, unitPrice: listPrice }: Pick<CreditTypeDetails, 'name' | 'unitPrice'>,
): Omit<ProposedAction, 'command'> {
  const { credits, unitPrice, threshold, maxPerMonth, enabled } = settings;
  return {
    customerId,
    resource: { type: 'wallet', id: creditType },
    amount: null,
    currency: null,
    reason: null,
    effectiveAt: null,
    terms: [
      { name: 'credits', value: credits, isNumber: true },
      { name: 'unitPrice', value: unitPrice, isNumber: true },
      { name: 'listPrice', value: listPrice, isNumber: true },
      { name: 'threshold', value: threshold, isNumber: true },
      { name: 'maxPerMonth', value: String(maxPerMonth), isNumber: true },
      { name: 'enabled', value: enabled ? 'yes' : 'no' },
    ],
    lines: [{ description: `${credits} credits with each top-up: ${name}`, amount: null }],
    changes: [{ field: 'unitPrice', before: listPrice, after: unitPrice, isNumber: true }],
  };
}

/** Returns when the granted credits expire: at an instant of the request, or some days after the grant. */
function expiryTerms(
  { expiresAt }: Pick<CreditGrantRequest, 'expiresAt'>,
  { expiresAfterDays }: Pick<CreditTypeDetails, 'expiresAfterDays'>,
): ActionTerm[] {
  if (expiresAt) return [{ name: 'expiresAt', value: expiresAt }];
  if (expiresAfterDays === null) return [{ name: 'expiresAt', value: null }];
  return [{ name: 'expiresAfterDays', value: String(expiresAfterDays), isNumber: true }];
}
