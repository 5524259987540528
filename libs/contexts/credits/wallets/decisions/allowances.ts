import { Decimal, decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { prorate, remainderOf, resetAllowance, type RolloverLimits } from '#libs/rating';
import type { GrantedBlock, WalletEvent } from '../events.js';
import {
  balanceAt,
  toWalletBlock,
  usedOfInterval,
  walletKeyOf,
  subtractDraws,
  type GrantedAllowance,
  type Wallet,
  type WalletBlock,
} from '../wallet.js';
import { requireRoomForBlock } from './grant-credits.js';
import type { WalletCommandOf } from './wallet-command.js';

/** Grants an allowance for an interval. Does nothing if the interval already has its allowance, or gets nothing after a change of plan. */
export function grantAllowance(command: WalletCommandOf<'GrantAllowance'>, wallet: Wallet): WalletEvent[] {
  const { at, blockId, subscriptionId, allowance, period, planChange, terms } = command;
  const { allowanceId, planId, priority } = allowance;
  const last = wallet.allowances.find(
    (one) => one.allowanceId === allowanceId && one.subscriptionId === subscriptionId,
  );
  const planChangeId = planChange?.amendmentId ?? null;
  const isSameStay = last?.interval === undefined || last.interval.planChange === planChangeId;
  if (last && last.start >= period.start && isSameStay) return [];
  const credits = creditsAfterPlanChange(command, wallet);
  if (credits.isZero()) return [];
  const before = wallet.blocks.find((block) => block.blockId === last?.blockId);
  const ended = before ? endOf(before, wallet, at) : undefined;
  const blocks = ended ? subtractDraws(wallet.blocks, [ended.data]) : wallet.blocks;
  if (!before) requireRoomForBlock(wallet);
  // After a pause, an interval begins before the end of the last one.
  const follows = last !== undefined && isSameStay && last.end >= period.start;
  const rolledOver = follows ? rolledOverPart(allowance.rollover, before) : '0';
  const block: GrantedBlock = {
    blockId,
    amount: decimalString(credits.plus(rolledOver)),
    source: 'grant',
    priority,
    effectiveAt: period.start,
    expiresAt: period.end,
    costBasis: null,
    currency: terms.currency,
    description: 'Allowance',
    allowance: {
      allowanceId,
      planId,
      subscriptionId,
      start: period.start,
      rolledOver,
      credits: allowance.credits,
      planChange: planChangeId,
    },
  };
  const data = { ...walletKeyOf(wallet), at, ...block };
  const balance = balanceAt({ blocks: [...blocks, toWalletBlock(data)] }, at);
  return [...(ended ? [ended] : []), { type: 'CreditsGranted', data: { ...data, balance } }];
}

/**
 * Returns the credits that an allowance grants for an interval, without credits that roll over. These are all credits, unless the plan was
 * changed in the interval. After a change of plan, `onPlanChange` decides. All allowances of an interval together give at most what the
 * largest plan gives that the subscription had in it. What is left of the allowances of an earlier plan does not count, because it ends with
 * that plan.
 */
function creditsAfterPlanChange(
  { subscriptionId, allowance, period, planChange, planCredits }: WalletCommandOf<'GrantAllowance'>,
  wallet: Wallet,
): Decimal {
  const credits = new Decimal(allowance.credits);
  const { onPlanChange = 'prorated' } = allowance;
  if (planChange === null || planChange.at < period.start) return credits;
  const inInterval = wallet.allowances.filter(
    (one) => one.subscriptionId === subscriptionId && one.end > period.start,
  );
  if (planChange.at === period.start && inInterval.length === 0) return credits;
  if (onPlanChange === 'next_period') return new Decimal(0);
  const share =
    onPlanChange === 'full_price'
      ? credits
      : prorate(credits, remainderOf(period, planChange.at), period).toDecimalPlaces(
          credits.decimalPlaces(),
          Decimal.ROUND_DOWN,
        );
  const given = sumOf(inInterval.map((one) => givenCredits(one, planChange.amendmentId, wallet)));
  const largest = Decimal.max(planCredits, ...creditsOfPlans(inInterval));
  return Decimal.max(Decimal.min(share, largest.minus(given)), 0);
}

/** Returns the credits that were granted since a change of plan, or the credits that were used of an allowance before it. */
function givenCredits(granted: GrantedAllowance, planChangeId: string, wallet: Wallet): DecimalString {
  const { interval } = granted;
  if (interval?.planChange !== planChangeId) return usedOfInterval(granted, wallet);
  return decimalString(new Decimal(interval.granted).plus(interval.usedBefore));
}

/** Returns the credits that each plan gives for a whole interval. */
function creditsOfPlans(granted: readonly GrantedAllowance[]): Decimal[] {
  const intervals = granted.flatMap(({ interval }) => interval ?? []);
  return [...Map.groupBy(intervals, ({ planId }) => planId).values()].map((ofPlan) =>
    sumOf(ofPlan.map(({ credits }) => credits)),
  );
}

/**
 * Ends an allowance that its subscription no longer gives: the subscription has ended, has another plan, or gives nothing for the next
 * interval. Does nothing if the block has no credits left.
 */
export function endAllowance(
  { at, blockId }: WalletCommandOf<'EndAllowance'>,
  wallet: Wallet,
): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  return block ? [endOf(block, wallet, at)] : [];
}

/** Returns the part of the earlier interval's allowance that stays for the new interval. */
function rolledOverPart(rollover: RolloverLimits | null, before: WalletBlock | undefined): DecimalString {
  if (!rollover) return '0';
  return resetAllowance(rollover, { balance: before?.remaining ?? '0', overage: '0' }).balance;
}

function endOf(
  { blockId, remaining: amount }: WalletBlock,
  wallet: Wallet,
  at: Instant,
): Extract<WalletEvent, { type: 'CreditsExpired' }> {
  const balance = balanceAt({ blocks: subtractDraws(wallet.blocks, [{ blockId, amount }]) }, at);
  return { type: 'CreditsExpired', data: { ...walletKeyOf(wallet), at, blockId, amount, balance } };
}
