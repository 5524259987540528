import { Decimal, jsonNumber, sumOf } from '#libs/kernel/core';
import { sortByBurnOrder, type OveragePolicy } from '#libs/rating';
import {
  blockOf,
  type AutoTopUpCase,
  type CreditGrantCase,
  type CreditPolicyCase,
  type CreditsCase,
  type ResetCase,
  type ResetManyCase,
  type RolloverGrant,
} from '../adapter/credits.ts';
import { instantOf } from '../adapter/instants.ts';
import type { Account } from './account.ts';

const NEW_YEAR = '2025-01-01T00:00:00Z';

interface Block {
  readonly id: string;
  readonly remaining: string;
  readonly allowance: { readonly id: string; readonly rolledOver: string } | null;
}

interface LedgerEntry {
  readonly amount: string;
  readonly overage: string;
}

/** A credit type, and the wallet of the case's customer for it. A unit of usage costs one credit. */
class Wallet {
  private readonly path: string;

  private constructor(
    private readonly account: Account,
    readonly type: string,
  ) {
    this.path = `/v1/customers/${account.customerId}/wallets/${type}`;
  }

  static async open(account: Account, overage: OveragePolicy, type = 'credits'): Promise<Wallet> {
    const { currency } = account;
    await account.post('/v1/credit-types', { type, name: 'Credits', unitPrice: 1, currency, overage });
    const aggregation = { type: 'sum', property: 'units' };
    const metricId = await account.id('/v1/metrics', { name: type, eventName: type, aggregation });
    await account.post(`/v1/credit-types/${type}/rates`, { metricId, creditsPerUnit: 1 });
    return new Wallet(account, type);
  }

  /** Sends an event that costs so many credits. Tells whether it is accepted. */
  async use(credits: string, idempotencyKey?: string): Promise<boolean> {
    const event = { customerId: this.account.customerId, eventName: this.type, idempotencyKey };
    const properties = { units: jsonNumber(credits) };
    const { accepted } = await this.account.post('/v1/events', { ...event, properties });
    return (accepted as string[]).length === 1;
  }

  grant(grant: object): Promise<string> {
    return this.account.id(`${this.path}/grants`, grant);
  }

  async topUpAt(threshold: string, credits: string): Promise<void> {
    const settings = { threshold: jsonNumber(threshold), credits: jsonNumber(credits), maxPerMonth: 1_000 };
    await this.account.put(`${this.path}/auto-top-up`, settings);
  }

  async balance(): Promise<string> {
    return (await this.account.get(this.path))['balance'] as string;
  }

  async blocks(): Promise<Block[]> {
    return (await this.account.get(this.path))['blocks'] as Block[];
  }

  /** A wallet lists only blocks with credits left. */
  async remainingOf(blockId: string): Promise<string> {
    return (await this.blocks()).find(({ id }) => id === blockId)?.remaining ?? '0';
  }

  /** Takes credits back, as far as they are there: from a block, or from all that can be used. */
  async void({ blockId, amount }: { blockId?: string | undefined; amount?: string | undefined }) {
    const left = blockId === undefined ? await this.balance() : await this.remainingOf(blockId);
    if (new Decimal(left).isZero()) return;
    const isAll = amount === undefined || new Decimal(amount).gte(left);
    if (blockId !== undefined && isAll) await this.account.post(`${this.path}/blocks/${blockId}/void`, {});
    else await this.account.post(`${this.path}/void`, { amount: jsonNumber(isAll ? left : amount) });
  }

  async ledger(type: string): Promise<LedgerEntry[]> {
    const { data } = await this.account.get(`${this.path}/ledger?type=${type}&limit=100`);
    return data as LedgerEntry[];
  }

  /** The credits that usage has cost. Usage is in the ledger once the account has settled. */
  async used(): Promise<{ covered: string; uncovered: string }> {
    const entries = await this.ledger('drawn_down');
    return {
      covered: sumOf(entries.map(({ amount }) => amount))
        .negated()
        .toFixed(),
      uncovered: sumOf(entries.map(({ overage }) => overage)).toFixed(),
    };
  }
}

const createdAtOf = ({ createdAt, effectiveAt }: CreditGrantCase) => instantOf(createdAt ?? effectiveAt);

/** Grants, voids and uses credits, each at its time. At one instant grants come first, and usage last. */
export async function credits(account: Account, { grants, debits, voids = [], as_of }: CreditsCase) {
  const blockIds = new Map<string, string>();
  const steps: { at: string; run: (wallet: Wallet) => Promise<unknown> }[] = [
    ...grants.map((grant) => ({
      at: createdAtOf(grant),
      run: async (wallet: Wallet) => {
        const { id, amount, createdAt: _, ...terms } = grant;
        blockIds.set(id, await wallet.grant({ ...terms, amount: jsonNumber(amount) }));
      },
    })),
    ...voids.map(({ id, at, amount }) => ({
      at: instantOf(at),
      run: (wallet: Wallet) =>
        wallet.void({ amount, blockId: id === undefined ? undefined : blockIds.get(id)! }),
    })),
    ...debits.map(({ at, amount, key }) => ({
      at: instantOf(at),
      run: (wallet: Wallet) => wallet.use(amount, key),
    })),
  ].sort((a, b) => a.at.localeCompare(b.at));
  await account.goTo(steps[0]?.at ?? NEW_YEAR);
  const wallet = await Wallet.open(account, 'allow');
  for (const { at, run } of steps) {
    await account.advance(at);
    await run(wallet);
  }
  if (as_of !== undefined) await account.advance(as_of);
  const balances: Record<string, string> = {};
  for (const [id, blockId] of blockIds) balances[id] = await wallet.remainingOf(blockId);
  await account.settle();
  return { balances, uncovered: (await wallet.used()).uncovered };
}

export async function credit_policy(
  account: Account,
  { balance, debit, overage, repeat = 1 }: CreditPolicyCase,
) {
  await account.goTo(NEW_YEAR);
  const wallet = await Wallet.open(account, overage);
  await wallet.grant({ amount: jsonNumber(balance) });
  const accepted: boolean[] = [];
  for (let i = 0; i < repeat; i++) accepted.push(await wallet.use(debit, 'one'));
  const left = await wallet.balance();
  await account.settle();
  return { accepted: accepted[0], balance: left, ...(await wallet.used()) };
}

/** Brings the balance to each of the given ones, by usage or a grant, and looks whether credits are bought. */
export async function auto_topup(account: Account, { threshold, credits: bought, balances }: AutoTopUpCase) {
  await account.goTo(NEW_YEAR);
  const wallet = await Wallet.open(account, 'block');
  await account.addCard();
  const topups: boolean[] = [];
  for (const [index, balance] of balances.entries()) {
    const change = new Decimal(balance).minus(await wallet.balance());
    if (change.gt(0)) await wallet.grant({ amount: jsonNumber(change.toFixed()) });
    else await wallet.use(change.negated().toFixed());
    const before = (await wallet.ledger('purchased')).length;
    if (index === 0) await wallet.topUpAt(threshold, bought);
    await account.settle();
    topups.push((await wallet.ledger('purchased')).length > before);
  }
  return { topups, balance_after: await wallet.balance() };
}

/** The credits of the interval before that the next block has. What was used beyond them is on the invoice between the two. */
export async function reset(account: Account, { grant, used }: ResetCase) {
  const { balances, overage_after } = await reset_many(account, { grants: [{ ...grant, id: 'only', used }] });
  return { balance_after: balances['only'], overage_after };
}

/**
 * A month of a subscription with an allowance for each grant. If `used` is of all, they are allowances of one credit type, in their order
 * of burning. If each says its own, each has a credit type of its own.
 */
export async function reset_many(account: Account, { grants, used = '0' }: ResetManyCase) {
  await account.goTo(NEW_YEAR);
  const isApart = grants.some((grant) => grant.used !== undefined);
  const planId = await account.plan([await account.fee({ amount: '1', timing: 'in_arrears' })]);
  const allowances: { id: string; allowanceId: string; wallet: Wallet }[] = [];
  const wallets: Wallet[] = [];
  for (const [index, grant] of grants.entries()) {
    if (isApart || index === 0) wallets.push(await Wallet.open(account, 'allow', `credits-${index}`));
    const wallet = wallets.at(-1)!;
    const allowanceId = await account.id(`/v1/credit-types/${wallet.type}/allowances`, {
      planId,
      every: 'month',
      priority: index,
      ...rolloverOf(grant),
    });
    allowances.push({ id: grant.id, allowanceId, wallet });
  }
  const { id: subscriptionId } = await account.subscribeTo(planId);
  await account.settle();
  for (const [index, wallet] of wallets.entries())
    await wallet.use(isApart ? (grants[index]!.used ?? '0') : used);
  await account.advance('2025-02-01T00:00:00Z');
  await account.settle();
  const balances: Record<string, string> = {};
  for (const { id, allowanceId, wallet } of allowances) {
    const block = (await wallet.blocks()).find(({ allowance }) => allowance?.id === allowanceId);
    balances[id] = block?.allowance?.rolledOver ?? 'no block';
  }
  const upcoming = await account.post(`/v1/subscriptions/${subscriptionId as string}/invoices/compute`);
  const overage = (upcoming['lines'] as { type: string; quantity: string }[]).filter(
    ({ type }) => type === 'overage',
  );
  return {
    balances,
    balance_after: sumOf(Object.values(balances)).toFixed(),
    overage_after: sumOf(overage.map(({ quantity }) => quantity)).toFixed(),
  };
}

function rolloverOf({ amount, min_rollover, max_rollover }: RolloverGrant) {
  const rollover = { minimum: jsonNumber(min_rollover), maximum: jsonNumber(max_rollover) };
  return { credits: jsonNumber(amount), rollover };
}

/** Why cases cannot be asked over HTTP, by kind. Undefined: they can. */
export const UNREACHABLE_CREDITS = {
  credits: ({ grants, debits, voids = [], as_of }: CreditsCase) => {
    const moves = [...debits, ...voids].map(({ at }) => instantOf(at));
    if (as_of !== undefined && moves.some((at) => at > instantOf(as_of)))
      return 'what happens after `as_of` has not happened at `as_of`';
    if (grants.some((grant) => !new Decimal(grant.amount).gt(0))) return 'a grant is above zero';
    if (
      grants.some(
        ({ expiresAt, ...grant }) =>
          expiresAt !== null && instantOf(expiresAt) <= createdAtOf(grant as CreditGrantCase),
      )
    )
      return 'credits expire after their grant';
    const isEarly = (grant: CreditGrantCase, at: string) =>
      at >= instantOf(grant.effectiveAt) && at < createdAtOf(grant);
    if (grants.some((grant) => moves.some((at) => isEarly(grant, at))))
      return 'credits cannot be used before they are granted';
    const first = sortByBurnOrder(grants.map(blockOf))[0]?.blockId;
    if (voids.some(({ id, amount }) => id !== undefined && amount !== undefined && id !== first))
      return 'a part of a block cannot be voided; a number of credits is voided in the order of burning';
    return undefined;
  },
  credit_policy: ({ balance }: CreditPolicyCase) =>
    new Decimal(balance).gt(0) ? undefined : 'a grant is above zero',
  auto_topup: ({ threshold, credits: bought, balances }: AutoTopUpCase) => {
    if (balances.some((balance) => new Decimal(balance).isNegative())) return 'no balance is below zero';
    return balances.some((balance) => new Decimal(balance).plus(bought).lte(threshold))
      ? 'credits are bought again until the balance is above the threshold'
      : undefined;
  },
  reset: ({ grant, used, preserve_overage = false }: ResetCase) =>
    preserve_overage && new Decimal(used).gt(grant.amount)
      ? 'overage is billed when its period ends; no later credits pay for it'
      : undefined,
  reset_many: ({ grants, used = '0' }: ResetManyCase) =>
    grants.some((grant) => grant.used !== undefined) && !new Decimal(used).isZero()
      ? 'credits of one type are used in their order, so not also each by itself'
      : undefined,
};
