import { decimalString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import { isWalletEvent, type WalletEvent } from '#libs/contexts/credits';
import { exactNumberText } from './amounts.js';

interface Part {
  readonly blockId: string | null;
  readonly amount: DecimalString;
}

/** Describes how an event of a wallet changes credits, block by block. Returns undefined for events that change no credits. */
export function creditsText(event: RecordedEvent): string | undefined {
  if (!isWalletEvent(event)) return undefined;
  const what = changeText(event);
  if (what === undefined) return undefined;
  const { customerId, creditType } = event.data;
  return `${what}; wallet of ${creditType} of ${customerId}`;
}

function changeText({ type, data }: WalletEvent): string | undefined {
  switch (type) {
    case 'CreditsGranted':
      return `${credits(data.amount)} granted: block ${data.blockId}`;
    case 'CreditPurchaseCreated':
      return `${credits(data.amount)} bought${data.topUp ? ' automatically' : ''}: block ${data.blockId}`;
    case 'CreditPurchaseActivated':
      return `${credits(data.amount)} paid for: block ${data.blockId}`;
    case 'CreditPurchaseVoided':
      return `${credits(data.amount)} not sold: block ${data.blockId}`;
    case 'CreditPurchaseWrittenOff':
      return `${credits(data.amount)} not paid for: block ${data.blockId}`;
    case 'CreditsDrawnDown':
      return `${credits(totalOf(data.draws))} used: ${partsText(data.draws)}`;
    case 'CreditsExpired':
      return `${credits(data.amount)} expired: ${partsText([data])}`;
    case 'CreditsVoided':
      return `${credits(data.amount)} voided: ${partsText(data.draws)}`;
    case 'PurchasedCreditsTakenBack':
      return `${credits(data.amount)} taken back after a ${data.cause}: ${partsText([data])}`;
    case 'PurchasedCreditsBlocked':
      return `${credits(data.amount)} blocked: ${partsText([data])}`;
    case 'PurchasedCreditsReleased':
      return `${credits(data.amount)} released: ${partsText([data])}`;
    case 'CreditOverageBilled':
      return `${credits(totalOf(data.overage))} of overage billed, each for ${data.unitPrice} ${data.currency}`;
    case 'CreditOverageReturned':
      return `${credits(totalOf(data.overage))} of overage to be billed again`;
    case 'CreditsUsedInvoiced':
      return `${credits(totalOf(data.used))} shown as used`;
    case 'CreditsUsedReturned':
      return `${credits(totalOf(data.used))} to be shown as used again`;
    case 'AutoTopUpSet':
    case 'AutoTopUpRemoved':
    case 'AutoTopUpDeferred':
    case 'CreditsRefused':
    case 'WalletBalanceLow':
    case 'WalletBalanceDepleted':
    case 'WalletBalanceRecovered':
      return undefined;
  }
}

function partsText(parts: readonly Part[]): string {
  return [...Map.groupBy(parts, ({ blockId }) => blockId)]
    .map(([blockId, same]) => `${exactNumberText(totalOf(same))} of ${blockId ?? 'no block'}`)
    .join(', ');
}

function totalOf(parts: readonly { readonly amount: DecimalString }[]): DecimalString {
  return decimalString(sumOf(parts.map(({ amount }) => amount)));
}

function credits(amount: DecimalString): string {
  return `${exactNumberText(amount)} ${amount === '1' ? 'credit' : 'credits'}`;
}
