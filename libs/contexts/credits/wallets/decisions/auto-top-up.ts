import {
  addSeconds,
  Conflict,
  Decimal,
  decimalString,
  startOfMonth,
  NotFound,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { topUpsAboveThreshold, topUpsToCover } from '#libs/rating';
import { DEFAULT_MAX_TOP_UPS_PER_MONTH, type AutoTopUpSettings, type WalletEvent } from '../events.js';
import { monthOf, topUpCountIn } from '../evolve.js';
import { balanceAt, walletKeyOf, type Wallet } from '../wallet.js';
import { hasRoomForBlock } from './grant-credits.js';
import { purchaseInvoiceId } from './purchase-credits.js';
import type { WalletCommand, WalletCommandOf } from './wallet-command.js';

/** The number of seconds for which a top-up waits after an allowance has ended, so that the next allowance can be granted first. */
const ALLOWANCE_WAIT_SECONDS = 60;

/** The settings of an automatic top-up to change. A part that is absent stays as it is, or gets its default the first time. */
export interface AutoTopUpChange {
  readonly threshold: DecimalString;
  readonly credits: DecimalString;
  readonly unitPrice?: DecimalString | null | undefined;
  readonly maxPerMonth?: number | undefined;
  readonly enabled?: boolean | undefined;
}

/** Returns the settings after a change of the present settings, which are null the first time. */
export function changedAutoTopUp(
  { threshold, credits, unitPrice, maxPerMonth, enabled }: AutoTopUpChange,
  present: Omit<AutoTopUpSettings, 'currency'> | null,
): Omit<AutoTopUpSettings, 'currency'> {
  return {
    threshold,
    credits,
    unitPrice: unitPrice === undefined ? (present?.unitPrice ?? null) : unitPrice,
    maxPerMonth: maxPerMonth ?? present?.maxPerMonth ?? DEFAULT_MAX_TOP_UPS_PER_MONTH,
    enabled: enabled ?? present?.enabled ?? true,
  };
}

/**
 * Sets when credits are bought automatically. Does nothing if the settings stay the same. Throws Conflict (`auto_top_up_changed`) if the
 * wallet has other settings than those that the command was made from.
 */
export function setAutoTopUp(
  { at, autoTopUp, madeFrom }: WalletCommandOf<'SetAutoTopUp'>,
  wallet: Wallet,
): WalletEvent[] {
  if (isSameTopUp(autoTopUp, wallet.autoTopUp)) return [];
  if (madeFrom !== undefined && !isSameTopUp(madeFrom, wallet.autoTopUp))
    throw new Conflict(
      'auto_top_up_changed',
      'The automatic top-up was changed at the same time; send the request again',
    );
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), ...autoTopUp };
  return [{ type: 'AutoTopUpSet', data }];
}

function isSameTopUp(one: AutoTopUpSettings | null, other: AutoTopUpSettings | null): boolean {
  if (one === null || other === null) return one === other;
  const fields = Object.keys(one) as (keyof AutoTopUpSettings)[];
  return fields.every((field) => one[field] === other[field]);
}

/** Turns the automatic top-up off. Throws NotFound if the wallet has no automatic top-up. */
export function removeAutoTopUp({ at }: WalletCommandOf<'RemoveAutoTopUp'>, wallet: Wallet): WalletEvent[] {
  requireAutoTopUp(wallet);
  return [{ type: 'AutoTopUpRemoved', data: { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at) } }];
}

/** Returns the automatic top-up of a wallet. Throws NotFound if the wallet has no automatic top-up. */
export function requireAutoTopUp({ autoTopUp, creditType }: Wallet) {
  if (!autoTopUp)
    throw new NotFound(
      'auto_top_up_not_found',
      `The wallet "${creditType}" has no automatic top-up; set one with PUT …/auto-top-up`,
    );
  return autoTopUp;
}

/**
 * Buys credits if the balance is at or below the threshold after a command, or if it does not cover usage that was refused. One purchase
 * has as many top-ups as the balance needs. Each of them counts in `maxPerMonth`. If the top-ups that are left in the month do not cover
 * the refused usage, nothing is bought for it until it is refused again. Buys nothing while a purchase is unpaid, so that several events
 * below the threshold cause only one purchase. A purchase that was written off is not waited for. If the month already has `maxPerMonth`
 * top-ups, or if a top-up was voided or written off, the next top-up waits for the next month. If the purchase was made by a user, the next
 * top-up is not delayed. After the end of an allowance, the top-up waits for the next allowance.
 *
 * @param before the wallet before the command
 * @param wallet the wallet after the command
 */
export function topUp(command: WalletCommand, before: Wallet, wallet: Wallet): WalletEvent[] {
  const { at, topUpBlockId: blockId } = command;
  const { autoTopUp, unpaid, topUpDeferredUntil } = wallet;
  const balance = balanceAt(wallet, at);
  if (!autoTopUp?.enabled) return [];
  const deferral = (until: Instant): WalletEvent[] => [
    { type: 'AutoTopUpDeferred', data: { ...walletKeyOf(wallet), at, balance, until } },
  ];
  if (endsTopUp(command, before)) return deferral(startOfNextMonth(at));
  const forThreshold = topUpsAboveThreshold(autoTopUp, balance);
  const left = autoTopUp.maxPerMonth - topUpCountIn(monthOf(at), wallet);
  const forRefused = topUpsForRefusedUsage(wallet, autoTopUp, at);
  const isCoverable = forRefused > 0 && forRefused <= left;
  if (forThreshold === 0 && !isCoverable) return [];
  if (unpaid.some(({ writtenOff }) => !writtenOff)) return [];
  if (!hasRoomForBlock(wallet) || (topUpDeferredUntil !== null && at < topUpDeferredUntil)) return [];
  if (left <= 0) return deferral(startOfNextMonth(at));
  const topUpCount = Math.max(Math.min(forThreshold, left), isCoverable ? forRefused : 0);
  const allowanceAwaitedUntil = endOfAllowanceWait(wallet, at);
  if (allowanceAwaitedUntil !== undefined) return deferral(allowanceAwaitedUntil);
  const { credits, unitPrice, currency } = autoTopUp;
  return [
    {
      type: 'CreditPurchaseCreated',
      data: {
        ...walletKeyOf(wallet),
        at,
        balance,
        blockId,
        invoiceId: purchaseInvoiceId(blockId),
        amount: decimalString(new Decimal(credits).times(topUpCount)),
        unitPrice,
        currency,
        collection: 'charge',
        description: 'Automatic top-up',
        topUp: true,
        ...(topUpCount === 1 ? {} : { topUpCount }),
      },
    },
  ];
}

/** Returns the number of top-ups that cover the usage that was refused in the calendar month of an instant. */
function topUpsForRefusedUsage(wallet: Wallet, autoTopUp: AutoTopUpSettings, at: Instant): number {
  const { refused } = wallet;
  if (!refused || monthOf(refused.at) !== monthOf(at)) return 0;
  return topUpsToCover(autoTopUp, balanceAt(wallet, at), refused.required);
}

/** Returns the instant until which a top-up waits for the next allowance. Returns undefined if no allowance has just ended. */
function endOfAllowanceWait({ allowances }: Wallet, at: Instant): Instant | undefined {
  return allowances
    .filter(({ end }) => end <= at)
    .map(({ end }) => addSeconds(end, ALLOWANCE_WAIT_SECONDS))
    .filter((until) => at < until)
    .sort()
    .at(-1);
}

/** Tells whether a command voids an automatic top-up that was not paid, or writes it off. The void of a written-off top-up is no end. */
function endsTopUp(command: WalletCommand, { unpaid }: Wallet): boolean {
  if (command.type !== 'VoidPurchase' && command.type !== 'WriteOffPurchase') return false;
  const ended = unpaid.find(({ blockId }) => blockId === command.blockId);
  return ended?.topUp === true && !ended.writtenOff;
}

/** The beginning of the next calendar month (UTC). */
export function startOfNextMonth(at: Instant): Instant {
  const [year, month] = monthOf(at).split('-').map(Number) as [number, number];
  return startOfMonth(year, month, 'UTC');
}
