import {
  Decimal,
  decimalString,
  jsonNumber,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { CreditDraw } from '#libs/rating';
import type { UsageDraw, WalletEvent } from './events.js';

/** The kinds of entries in the ledger of a wallet. */
export const LEDGER_ENTRY_TYPES = [
  'granted',
  'purchased',
  'drawn_down',
  'expired',
  'voided',
  'taken_back',
  'blocked',
  'released',
] as const;
export type LedgerEntryType = (typeof LEDGER_ENTRY_TYPES)[number];

/** One entry in the ledger of a wallet: a change of its credits. */
export interface WalletLedgerEntry {
  readonly id: string;
  readonly type: LedgerEntryType;
  readonly creditType: string;
  /** The change in credits. The change is below zero if the wallet lost credits. */
  readonly amount: DecimalString;
  /** The credits that could be used right after the change. */
  readonly balance: DecimalString;
  /** The number of credits that each block gained or lost. */
  readonly blocks: readonly CreditDraw[];
  /** The credits that usage cost and no block covered. The next invoice bills them, so overage of a trial is left out. */
  readonly overage: DecimalString;
  readonly description: string | null;
  readonly createdAt: Instant;
}

/** Returns the ledger entry of an event of a wallet. Returns undefined if the event changes no credits. `id` is the id of the event. */
export function ledgerEntryOf(id: string, { type, data }: WalletEvent): WalletLedgerEntry | undefined {
  const { creditType, balance, at: createdAt } = data;
  const entry = { id, creditType, balance, createdAt, overage: '0' };
  switch (type) {
    case 'CreditsGranted':
    case 'CreditPurchaseActivated': {
      const { amount, blockId, description } = data;
      const kind = type === 'CreditsGranted' ? 'granted' : 'purchased';
      return { ...entry, type: kind, amount, blocks: [{ blockId, amount }], description };
    }
    case 'CreditsDrawnDown': {
      const { amount, draws, trial = false } = data;
      const total = (of: readonly UsageDraw[]) => decimalString(sumOf(of.map((draw) => draw.amount)));
      const byBlock = Map.groupBy(draws, ({ blockId }) => blockId);
      const blocks = [...byBlock].flatMap(([blockId, ofBlock]) =>
        blockId === null ? [] : [{ blockId, amount: negated(total(ofBlock)) }],
      );
      const overage = trial ? '0' : total(byBlock.get(null) ?? []);
      return { ...entry, type: 'drawn_down', amount: negated(amount), blocks, overage, description: null };
    }
    case 'CreditsExpired': {
      const amount = negated(data.amount);
      return {
        ...entry,
        type: 'expired',
        amount,
        blocks: [{ blockId: data.blockId, amount }],
        description: null,
      };
    }
    case 'CreditsVoided': {
      const blocks = data.draws.map(({ blockId, amount }) => ({ blockId, amount: negated(amount) }));
      return { ...entry, type: 'voided', amount: negated(data.amount), blocks, description: data.reason };
    }
    case 'PurchasedCreditsTakenBack':
      return { ...entry, ...bookedOnBlock('taken_back', data.blockId, negated(data.amount)) };
    case 'PurchasedCreditsBlocked':
      return { ...entry, ...bookedOnBlock('blocked', data.blockId, negated(data.amount)) };
    case 'PurchasedCreditsReleased':
      return { ...entry, ...bookedOnBlock('released', data.blockId, data.amount) };
    case 'CreditOverageBilled':
    case 'CreditOverageReturned':
    case 'CreditsUsedInvoiced':
    case 'CreditsUsedReturned':
    case 'CreditPurchaseCreated':
    case 'CreditPurchaseVoided':
    case 'CreditPurchaseWrittenOff':
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

/** The fields of an entry without a description that changes the credits of one block. */
function bookedOnBlock(type: LedgerEntryType, blockId: string, amount: DecimalString) {
  return { type, amount, blocks: [{ blockId, amount }], description: null };
}

/** Converts a ledger entry to its form in the API. */
export function presentWalletEntry(entry: WalletLedgerEntry) {
  const { id, type, creditType, amount, balance, blocks, overage, description, createdAt } = entry;
  return {
    id,
    type,
    creditType,
    amount: jsonNumber(amount),
    balance: jsonNumber(balance),
    blocks: blocks.map((block) => ({ blockId: block.blockId, amount: jsonNumber(block.amount) })),
    overage: jsonNumber(overage),
    description,
    createdAt,
  };
}

function negated(amount: DecimalString): DecimalString {
  return decimalString(new Decimal(amount).negated());
}
