import { Decimal } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import { BlockBalances } from '#libs/rating';
import type { WalletEvent } from '../../libs/contexts/credits/wallets/events.js';
import { ledgerEntryOf } from '../../libs/contexts/credits/wallets/ledger-entry.js';
import { walletDecider } from '../../libs/contexts/credits/wallets/decider.js';
import type { WalletCommand } from '../../libs/contexts/credits/wallets/decisions/wallet-command.js';
import {
  balanceAt,
  initialState,
  toCreditBlock,
  type Wallet,
} from '../../libs/contexts/credits/wallets/wallet.js';
import { partsOf, statementsOf, type Block } from './blocks.js';
import { readAutoTopUp, readGrant, readPurchase, readVoid } from './requests.js';

/*
 * What happens to a wallet, a day at a time, and below the dashes what is asked of it:
 *
 *   2026-01-01 grant { "amount": 100 }         also buy, pay, top-up, void, and refunded, disputed or lost with a share of the price
 *   2026-01-02 use 15
 *   2026-01-01 allowance Small 100             for a month from then; a rollover can follow: { "minimum": 0, "maximum": 50 }
 *   2026-01-16 changes to Large 300            within the interval of the allowance before; prorated
 *   ---
 *   2026-01-02 balance 85                      also `ledger`, and `refused` with a code
 */

const wallet = { customerId: 'cust_1', creditType: 'ai-credits', topUpBlockId: 'blk_top_up' };
export const instant = (date: string): string => `${date}T00:00:00.000Z`;

/** What the lines below the dashes of an example should say. */
export async function walletView(example: Block): Promise<string> {
  const { happens, comes } = partsOf(example);
  const events: WalletEvent[] = [];
  const lines: string[] = [];
  for (const [index, statement] of statementsOf(happens).entries()) {
    const [, date, verb, json] =
      /^(\S+) (grant|void|use|buy|pay|top-up|refunded|disputed|lost|allowance|changes) ?(.*)$/.exec(
        statement,
      )!;
    const at = instant(date!);
    const state = fold(walletDecider, events) ?? initialState(wallet);
    try {
      if (verb === 'changes') events.push(...endOfAllowances(at, state));
      events.push(
        ...walletDecider.decide(
          await commandOf(verb!, json!, at, index, state),
          fold(walletDecider, events) ?? state,
        ),
      );
    } catch (error) {
      lines.push(`${date} refused ${(error as { code: string }).code}`);
      if (verb !== 'use') continue;
      const refusal = { type: 'RecordRefusal', ...wallet, at, required: json! } as const;
      events.push(...walletDecider.decide(refusal, state));
    }
  }
  for (const asked of statementsOf(comes).filter((line) => !line.includes('refused'))) {
    const [date, what] = asked.split(' ');
    const until = events.filter(({ data }) => data.at <= instant(date!));
    const balance = balanceAt(fold(walletDecider, until) ?? initialState(wallet), instant(date!));
    const entries = events
      .flatMap((event) => ledgerEntryOf('', event) ?? [])
      .map(({ type, amount }) => `${type} ${amount}`);
    lines.push(`${date} ${what} ${what === 'balance' ? balance : entries.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}

async function commandOf(
  verb: string,
  json: string,
  at: string,
  index: number,
  state: Wallet,
): Promise<WalletCommand> {
  switch (verb) {
    case 'use':
      return useCommand(json, at, index, state);
    case 'grant':
      return grantCommand(json, at, index);
    case 'buy':
      return buyCommand(json, at, index);
    case 'pay':
      return payCommand(at, state);
    case 'refunded':
    case 'disputed':
    case 'lost':
      return returnCommand(verb, json, at, state);
    case 'top-up':
      return topUpCommand(json, at);
    case 'allowance':
    case 'changes':
      return allowanceCommand(json, at, index, verb === 'changes' ? state : undefined);
    default:
      return voidCommand(json, at);
  }
}

async function buyCommand(json: string, at: string, index: number): Promise<WalletCommand> {
  const { credits: amount, collection = 'charge', description = null, ...fields } = await readPurchase(json);
  const terms = { unitPrice: '0.01', currency: 'USD', expiresAfterDays: null };
  const purchase = { ...fields, amount, collection, description };
  return { type: 'PurchaseCredits', ...wallet, at, blockId: `blk_${index}`, purchase, terms };
}

/** The payment of the oldest purchase. */
function payCommand(at: string, { unpaid: [purchase] }: Wallet): WalletCommand {
  return {
    type: 'ActivatePurchase',
    ...wallet,
    at,
    blockId: purchase!.blockId,
    costBasis: '1.00',
    timezone: 'UTC',
    terms: { expiresAfterDays: null },
  };
}

/** A part of the price of the first bought block that went back, or that is disputed. */
function returnCommand(verb: string, share: string, at: string, { blocks: [block] }: Wallet): WalletCommand {
  return {
    type: 'ReturnPurchase',
    ...wallet,
    at,
    blockId: block!.blockId,
    policy: 'take_back',
    taxes: [],
    shares: {
      refunded: verb === 'refunded' ? share : '0',
      lost: verb === 'lost' ? share : '0',
      disputed: verb === 'disputed' ? share : '0',
    },
  };
}

async function topUpCommand(json: string, at: string): Promise<WalletCommand> {
  const { unitPrice = null, maxPerMonth = 5, enabled = true, ...fields } = await readAutoTopUp(json);
  const autoTopUp = { ...fields, unitPrice, maxPerMonth, enabled, currency: 'USD' };
  return { type: 'SetAutoTopUp', ...wallet, at, autoTopUp };
}

async function grantCommand(json: string, at: string, index: number): Promise<WalletCommand> {
  const body = await readGrant(json);
  const grant = {
    amount: body.amount,
    source: body.source ?? 'grant',
    priority: body.priority ?? 10,
    effectiveAt: body.effectiveAt,
    expiresAt: body.expiresAt,
    costBasis: null,
    description: null,
  };
  const terms = { currency: 'USD', expiresAfterDays: null };
  return { type: 'GrantCredits', ...wallet, at, blockId: `blk_${index}`, grant, terms };
}

/** Usage that costs this many credits, in a wallet that refuses what it does not cover. */
function useCommand(credits: string, at: string, index: number, { blocks }: Wallet): WalletCommand {
  const { accepted, draws } = new BlockBalances(blocks.map(toCreditBlock)).draw(
    new Decimal(credits),
    at,
    'block',
  );
  if (!accepted) throw Object.assign(new Error(), { code: 'insufficient_credits' });
  const used = draws.map((draw) => ({ metricId: 'met_1', ...draw }));
  return { type: 'DrawDownCredits', ...wallet, at, draws: used, upTo: String(index + 1) };
}

async function voidCommand(json: string, at: string): Promise<WalletCommand> {
  return { type: 'VoidCredits', ...wallet, at, amount: (await readVoid(json)).amount, reason: null };
}

/** The allowances of the earlier plan end with it. */
function endOfAllowances(at: string, state: Wallet): WalletEvent[] {
  const events: WalletEvent[] = [];
  for (const { blockId } of state.allowances)
    events.push(
      ...walletDecider.decide(
        { type: 'EndAllowance', ...wallet, at, blockId },
        fold(walletDecider, events, state),
      ),
    );
  return events;
}

/** The allowance of a plan. `before`: the wallet before a change of plan within the interval of its newest allowance. */
function allowanceCommand(text: string, at: string, index: number, before?: Wallet): WalletCommand {
  const [, planId = '', credits = '', json = 'null'] = /^(?:to )?(\w+) (\d+)(?: (.*))?$/.exec(text)!;
  const month = new Date(at);
  month.setUTCMonth(month.getUTCMonth() + 1);
  const last = before?.allowances.at(-1);
  const period = last ? { start: last.start, end: last.end } : { start: at, end: month.toISOString() };
  const rollover = JSON.parse(json) as { minimum: number; maximum: number } | null;
  return {
    type: 'GrantAllowance',
    ...wallet,
    at,
    blockId: `blk_${index}`,
    subscriptionId: 'sub_1',
    period,
    allowance: {
      allowanceId: `alw_${planId}`,
      planId,
      credits,
      every: 'month',
      priority: 5,
      rollover: rollover && { minimum: String(rollover.minimum), maximum: String(rollover.maximum) },
    },
    planChange: before ? { amendmentId: `amd_${index}`, at } : null,
    planCredits: credits,
    terms: { currency: 'USD' },
  };
}
