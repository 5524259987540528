import { Decimal, type DecimalString, decimalString, omit, sumOf } from '#libs/kernel/core';
import type { TaxAmount } from '#libs/rating';
import type { GrantedBlock, WalletEvent } from './events.js';
import { overageAfterEvent } from './overage.js';
import {
  balanceLevel,
  coveredCredits,
  sumCreditsByMetric,
  toWalletBlock,
  usedOfInterval,
  initialState,
  subtractDraws,
  type Wallet,
} from './wallet.js';

/** Returns the state of a wallet after an event. */
export function evolve(state: Wallet | undefined, event: WalletEvent): Wallet {
  const wallet = withoutCoveredRefusal(changed(state ?? initialState(event.data), event), event);
  const level = balanceLevel(event.data.balance, wallet);
  return { ...wallet, level: wallet.level === null && level === 'depleted' ? null : level };
}

function changed(wallet: Wallet, event: WalletEvent): Wallet {
  switch (event.type) {
    case 'CreditsGranted':
      return {
        ...wallet,
        blocks: [...wallet.blocks, toWalletBlock(event.data)],
        allowances: withAllowance(wallet, event.data),
      };
    case 'CreditsDrawnDown': {
      const { draws, usage } = event.data;
      return {
        ...wallet,
        blocks: subtractDraws(wallet.blocks, draws),
        overage: overageAfterEvent(wallet.overage, event),
        used: sumCreditsByMetric([...wallet.used, ...coveredCredits(draws)]),
        drawnUpTo: usage.upTo,
      };
    }
    case 'CreditsExpired': {
      const { blockId, amount } = event.data;
      return {
        ...wallet,
        blocks: subtractDraws(wallet.blocks, [{ blockId, amount }]),
        allowances: wallet.allowances.map((one) =>
          one.blockId === blockId && one.interval
            ? { ...one, interval: { ...one.interval, left: amount } }
            : one,
        ),
      };
    }
    case 'CreditsVoided':
      return { ...wallet, blocks: subtractDraws(wallet.blocks, event.data.draws) };
    case 'PurchasedCreditsTakenBack': {
      const { blockId, amount, taxes } = event.data;
      const blocks = wallet.blocks.map((block) =>
        block.blockId === blockId
          ? {
              ...block,
              takenBack: plus(block.takenBack, amount),
              ...(taxes ? { takenBackTaxes: addTaxes(block.takenBackTaxes ?? [], taxes) } : {}),
            }
          : block,
      );
      return { ...wallet, blocks: subtractDraws(blocks, [{ blockId, amount }]) };
    }
    case 'PurchasedCreditsBlocked':
      return withBlocked(wallet, event.data.blockId, new Decimal(event.data.amount));
    case 'PurchasedCreditsReleased':
      return withBlocked(wallet, event.data.blockId, new Decimal(event.data.amount).negated());
    case 'CreditOverageBilled':
    case 'CreditOverageReturned':
      return { ...wallet, overage: overageAfterEvent(wallet.overage, event) };
    case 'CreditsUsedInvoiced':
      return { ...wallet, used: [] };
    case 'CreditsUsedReturned':
      return { ...wallet, used: sumCreditsByMetric([...wallet.used, ...event.data.used]) };
    case 'CreditPurchaseCreated': {
      const createdAt = event.data.at;
      const purchase = omit(event.data, ['customerId', 'creditType', 'balance', 'at']);
      const unpaid = [...wallet.unpaid, { ...purchase, createdAt }];
      if (!purchase.topUp) return { ...wallet, unpaid };
      // Commands can be stored in another order than they read the clock. So a top-up of the earlier month can come after one of the later
      // month.
      const month = [monthOf(createdAt), wallet.topUps?.month ?? ''].sort().at(-1)!;
      const count = topUpCountIn(month, wallet) + (purchase.topUpCount ?? 1);
      return { ...wallet, unpaid, topUps: { month, count } };
    }
    case 'CreditPurchaseActivated': {
      const block = toWalletBlock(event.data);
      return { ...withoutUnpaid(wallet, block.blockId), blocks: [...wallet.blocks, block] };
    }
    case 'CreditPurchaseVoided':
      return withoutUnpaid(wallet, event.data.blockId);
    case 'CreditPurchaseWrittenOff': {
      const { blockId } = event.data;
      const unpaid = wallet.unpaid.map((one) =>
        one.blockId === blockId ? { ...one, writtenOff: true as const } : one,
      );
      return { ...wallet, unpaid };
    }
    case 'AutoTopUpSet': {
      const autoTopUp = omit(event.data, ['customerId', 'creditType', 'balance', 'at']);
      return { ...wallet, autoTopUp, topUpDeferredUntil: null };
    }
    case 'AutoTopUpRemoved':
      return { ...wallet, autoTopUp: null, topUpDeferredUntil: null };
    case 'AutoTopUpDeferred':
      return { ...wallet, topUpDeferredUntil: event.data.until };
    case 'CreditsRefused':
      return { ...wallet, refused: { required: event.data.required, at: event.data.at } };
    case 'WalletBalanceLow':
    case 'WalletBalanceDepleted':
    case 'WalletBalanceRecovered':
      return wallet;
  }
}

/** Forgets refused usage that the balance after an event covers. Without an automatic top-up, no refused usage is remembered. */
function withoutCoveredRefusal(wallet: Wallet, { data: { balance } }: WalletEvent): Wallet {
  if (wallet.refused === undefined) return wallet;
  if (wallet.autoTopUp && new Decimal(balance).lt(wallet.refused.required)) return wallet;
  const { refused: _, ...others } = wallet;
  return others;
}

/** The calendar month (UTC) of an instant, such as `2026-01`. */
export function monthOf(at: string): string {
  return at.slice(0, 'yyyy-mm'.length);
}

/** The number of automatic top-ups in a calendar month. */
export function topUpCountIn(month: string, { topUps }: Pick<Wallet, 'topUps'>): number {
  return topUps?.month === month ? topUps.count : 0;
}

/**
 * Stores the interval of a granted block. It is the newest interval for which the block's allowance was granted to the subscription. A
 * block that no allowance granted changes nothing.
 */
function withAllowance(
  wallet: Wallet,
  { allowance, blockId, amount, expiresAt }: GrantedBlock,
): Wallet['allowances'] {
  const { allowances } = wallet;
  if (!allowance) return allowances;
  const { allowanceId, subscriptionId, planId, start, credits, planChange, rolledOver } = allowance;
  const before = allowances.find(
    (one) => one.allowanceId === allowanceId && one.subscriptionId === subscriptionId,
  );
  const others = allowances.filter(
    (one) => one.allowanceId !== allowanceId || one.subscriptionId !== subscriptionId,
  );
  const granted = { allowanceId, subscriptionId, blockId, start, end: expiresAt! };
  if (credits === undefined || planChange === undefined) return [...others, granted];
  const isSameInterval = before?.interval && before.end > start && before.interval.planChange !== planChange;
  return [
    ...others,
    {
      ...granted,
      interval: {
        planId,
        planChange,
        credits,
        granted: decimalString(new Decimal(amount).minus(rolledOver)),
        usedBefore: isSameInterval ? usedOfInterval(before, wallet) : '0',
      },
    },
  ];
}

function withoutUnpaid(wallet: Wallet, blockId: string): Wallet {
  return { ...wallet, unpaid: wallet.unpaid.filter((one) => one.blockId !== blockId) };
}

/** Returns the wallet with `change` more blocked credits of a block. */
function withBlocked(wallet: Wallet, blockId: string, change: Decimal): Wallet {
  const blocks = wallet.blocks.map((block) => {
    if (block.blockId !== blockId) return block;
    const { blocked: before = '0', ...rest } = block;
    const blocked = change.plus(before);
    return blocked.lte(0) ? rest : { ...rest, blocked: decimalString(blocked) };
  });
  return { ...wallet, blocks };
}

function plus(before: DecimalString | undefined, amount: DecimalString): DecimalString {
  return decimalString(new Decimal(before ?? 0).plus(amount));
}

/** Returns the sum of taxes by rate. */
function addTaxes(before: readonly TaxAmount[], more: readonly TaxAmount[]): TaxAmount[] {
  return [...Map.groupBy([...before, ...more], ({ taxRateId }) => taxRateId)].map(([taxRateId, ofRate]) => ({
    taxRateId,
    amount: decimalString(sumOf(ofRate.map(({ amount }) => amount))),
  }));
}
