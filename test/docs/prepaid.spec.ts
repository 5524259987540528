import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal, readRequestJson } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import { BlockBalances } from '#libs/rating';
import { readFeatures } from '../../libs/contexts/catalog/plans/plan-features.js';
import { combineEntitlements, type EntitlementSource } from '../../libs/contexts/entitlements/entitlement.js';
import { presentEntitlement } from '../../libs/contexts/entitlements/present.js';
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
import { examplesOf, partsOf, statementsOf } from './blocks.js';
import { readAutoTopUp, readEntitlementGrant, readGrant, readPurchase, readVoid } from './requests.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/prepaid.md'), 'utf8');
const wallet = { customerId: 'cust_1', creditType: 'ai-credits', topUpBlockId: 'blk_top_up' };
const instant = (date: string): string => `${date}T00:00:00.000Z`;

it.each(examplesOf(page, 'wallet'))('a wallet under "$title" is as the page says', async (example) => {
  const { happens, comes } = partsOf(example);
  const events: WalletEvent[] = [];
  const lines: string[] = [];
  for (const [index, statement] of statementsOf(happens).entries()) {
    const [, date, verb, json] = /^(\S+) (grant|void|use|buy|pay|top-up|refunded|disputed|lost) ?(.*)$/.exec(
      statement,
    )!;
    const at = instant(date!);
    const state = fold(walletDecider, events) ?? initialState(wallet);
    try {
      events.push(...walletDecider.decide(await commandOf(verb!, json!, at, index, state), state));
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
  expect(`${lines.join('\n')}\n`).toBe(comes);
});

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
    ...{ ...wallet, at, blockId: purchase!.blockId, costBasis: '1.00', timezone: 'UTC' },
    terms: { expiresAfterDays: null },
  };
}

/** A part of the price of the first bought block that went back, or that is disputed. */
function returnCommand(verb: string, share: string, at: string, { blocks: [block] }: Wallet): WalletCommand {
  return {
    type: 'ReturnPurchase',
    ...{ ...wallet, at, blockId: block!.blockId, policy: 'take_back', taxes: [] },
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
    ...{ amount: body.amount, source: body.source ?? 'grant', priority: body.priority ?? 10 },
    ...{ effectiveAt: body.effectiveAt, expiresAt: body.expiresAt, costBasis: null, description: null },
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

it.each(examplesOf(page, 'entitlement'))(
  'an entitlement under "$title" is as the page says',
  async (example) => {
    const { happens, comes } = partsOf(example);
    const sources: EntitlementSource[] = [];
    let consumed = '0';
    for (const statement of statementsOf(happens)) {
      const [, verb, value] = /^(plan|grant|consumed) (.*)$/.exec(statement)!;
      if (verb === 'consumed') consumed = value!;
      else sources.push(verb === 'plan' ? planSource(value!) : await grantSource(value!));
    }
    const [entitlement, ...others] = combineEntitlements(sources);
    expect(others).toEqual([]);
    const shown = JSON.parse(JSON.stringify(presentEntitlement(entitlement!, consumed))) as Record<
      string,
      unknown
    >;
    const { type, allocated, remaining, hasAccess } = shown;
    const limit = (one: unknown) => (one === null ? 'no limit' : JSON.stringify(one));
    expect(
      `${type as string}, allocated ${limit(allocated)}, consumed ${limit(shown['consumed'])}, ` +
        `remaining ${limit(remaining)}, access ${hasAccess === true ? 'yes' : 'no'}\n`,
    ).toBe(comes);
  },
);

function planSource(json: string): EntitlementSource {
  const [{ featureId, name, type, limit, metricId }] = readFeatures([readRequestJson(json)]) as [
    ReturnType<typeof readFeatures>[number],
  ];
  const consumption = metricId
    ? { metricId, start: instant('2026-01-01'), end: instant('2026-02-01') }
    : null;
  return { featureId, name, type, limit, consumption, pricingModel: null };
}

async function grantSource(json: string): Promise<EntitlementSource> {
  const { featureId, limit = null } = await readEntitlementGrant(json);
  return { featureId, limit, name: null, type: null, consumption: null, pricingModel: null };
}

it('has examples of both', () => {
  expect(examplesOf(page, 'wallet').length).toBeGreaterThan(1);
  expect(examplesOf(page, 'entitlement').length).toBeGreaterThan(3);
});
