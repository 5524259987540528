import type { ActionTerm, ProposedAction } from '#libs/contexts/approvals';
import { Decimal, moneyString, type Instant } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import type { CreditTypeDetails } from '../credit-types/events.js';
import { walletDecider } from './decider.js';
import type { CreditGrantRequest, WalletCommandOf } from './decisions/wallet-command.js';
import { balanceAt, type Wallet } from './wallet.js';

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
    ...{ customerId, resource: { type: 'wallet', id: creditType }, amount, currency, reason },
    effectiveAt: null,
    terms: [{ name: 'credits', value: credits, isNumber: true }, ...expiryTerms(change.grant, terms)],
    lines: [{ description: `${credits} credits: ${terms.name}`, amount }],
    changes: [
      { field: 'balance', before: balanceAt(wallet, at), after: balanceAt(after, at), isNumber: true },
    ],
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
