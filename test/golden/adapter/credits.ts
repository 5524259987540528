import { Decimal } from '#libs/kernel/core';
import {
  drawDown,
  isTopUpDue,
  replayCredits,
  resetAllowance,
  type CreditBlock,
  type CreditMovement,
  type CreditSource,
  type OveragePolicy,
} from '#libs/rating';
import { instantOf } from './instants.ts';

export interface CreditGrantCase {
  id: string;
  amount: string;
  priority: number;
  effectiveAt: string;
  expiresAt: string | null;
  source: CreditSource;
  createdAt?: string;
}

export interface CreditsCase {
  grants: CreditGrantCase[];
  debits: { at: string; amount: string; key?: string }[];
  voids?: { id?: string; at: string; amount?: string }[];
  as_of?: string;
}

export const blockOf = ({
  id,
  effectiveAt,
  expiresAt,
  createdAt = effectiveAt,
  ...grant
}: CreditGrantCase): CreditBlock => ({
  ...grant,
  blockId: id,
  effectiveAt: instantOf(effectiveAt),
  expiresAt: expiresAt === null ? null : instantOf(expiresAt),
  createdAt: instantOf(createdAt),
});

export function credits({ grants, debits, voids = [], as_of }: CreditsCase) {
  const movements: CreditMovement[] = [
    ...voids.map(({ id, at, amount }) => ({
      type: 'void' as const,
      at: instantOf(at),
      ...(id === undefined ? {} : { blockId: id }),
      ...(amount === undefined ? {} : { amount }),
    })),
    ...debits.map((debit) => ({ type: 'debit' as const, ...debit, at: instantOf(debit.at) })),
  ];
  const asOf = as_of === undefined ? undefined : instantOf(as_of);
  return { ...replayCredits(grants.map(blockOf), movements, 'allow', asOf) };
}

export interface CreditPolicyCase {
  balance: string;
  debit: string;
  overage: OveragePolicy;
  /** How often the debit is sent, with one key. */
  repeat?: number;
}

const then = '2025-01-01T00:00:00.000Z';

export function credit_policy({ balance, debit, overage, repeat = 1 }: CreditPolicyCase) {
  const wallet = [
    blockOf({ id: 'all', amount: balance, priority: 0, effectiveAt: then, expiresAt: null, source: 'grant' }),
  ];
  const { accepted, covered, uncovered } = drawDown(wallet, debit, then, overage);
  const sent: CreditMovement = { type: 'debit', at: then, amount: debit, key: 'one' };
  const { balances } = replayCredits(
    wallet,
    Array.from({ length: repeat }, () => sent),
    overage,
  );
  return { accepted, balance: balances['all'], covered, uncovered };
}

export interface AutoTopUpCase {
  threshold: string;
  credits: string;
  balances: string[];
}

export function auto_topup({ threshold, credits: bought, balances }: AutoTopUpCase) {
  const topups = balances.map((balance) => isTopUpDue({ threshold, credits: bought }, balance));
  const last = new Decimal(balances.at(-1) ?? 0);
  return { topups, balance_after: (topups.at(-1) ? last.plus(bought) : last).toFixed() };
}

export interface RolloverGrant {
  amount: string;
  max_rollover: string;
  min_rollover: string;
}

export interface ResetCase {
  grant: RolloverGrant;
  used: string;
  preserve_overage?: boolean;
}

export function reset({ grant, used, preserve_overage }: ResetCase) {
  const rollover = { maximum: grant.max_rollover, minimum: grant.min_rollover };
  const left = new Decimal(grant.amount).minus(used);
  const before = {
    balance: Decimal.max(left, 0).toFixed(),
    overage: Decimal.max(left.negated(), 0).toFixed(),
  };
  const { balance, overage } = resetAllowance(rollover, before, preserve_overage);
  return { balance_after: balance, overage_after: overage };
}

export interface ResetManyCase {
  grants: (RolloverGrant & { id: string; used?: string })[];
  /** Used of all of them, in their order; or each says its own. */
  used?: string;
}

export function reset_many({ grants, used = '0' }: ResetManyCase) {
  let left = new Decimal(used);
  const after = grants.map((grant) => {
    const taken = Decimal.min(left, grant.amount);
    left = left.minus(taken);
    return [grant.id, reset({ grant, used: taken.plus(grant.used ?? 0).toFixed() })] as const;
  });
  return {
    balances: Object.fromEntries(after.map(([id, { balance_after }]) => [id, balance_after])) as object,
    balance_after: Decimal.sum(0, ...after.map(([, { balance_after }]) => balance_after)).toFixed(),
    overage_after: '0',
  };
}
