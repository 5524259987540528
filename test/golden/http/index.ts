import { anchorFor, periodContaining, type RecurringCadence } from '#libs/rating';
import type { System } from '../../support/index.ts';
import type { GoldenCase } from '../adapter/index.ts';
import { instantOf, type GoldenPeriod } from '../adapter/instants.ts';
import { Account, openWorkspace, type CaseWorkspace } from './account.ts';
import { first_boundary, period_at, periods, trial } from './calendar.ts';
import { credit_note, note_limit, refund } from './credit-notes.ts';
import { auto_topup, credit_policy, credits, reset, reset_many, UNREACHABLE_CREDITS } from './credits.ts';
import { coupon_cycles, coupons, invoice, invoice_flow } from './invoices.ts';
import { aggregate, price, round } from './prices.ts';
import { retries } from './retries.ts';
import { cadenceOf, commitment, prorate, prorate_split, segments, stub, unused } from './proration.ts';

/** What a client of the API does with what is given, and what it is answered. */
type Ask = (account: Account, given: never) => Promise<Record<string, unknown>>;

/** By kind: those that leave the clock where it is. */
const STANDING: Readonly<Record<string, Ask>> = {
  price,
  aggregate,
  round,
  invoice,
  invoice_flow,
  coupons,
  credit_note,
  refund,
  note_limit,
};

/** By kind: those that move it. */
const MOVING: Readonly<Record<string, Ask>> = {
  periods,
  period_at,
  first_boundary,
  trial,
  stub,
  prorate,
  prorate_split,
  segments,
  commitment,
  unused,
  coupon_cycles,
  credits,
  credit_policy,
  auto_topup,
  reset,
  reset_many,
  retries,
};

/** Why cases of these kinds cannot be asked over HTTP. */
const UNREACHABLE_KINDS: Readonly<Record<string, string>> = {
  prorate_two: 'a change of cadence begins a new period at its instant; these keep the anchor',
};

/** Why a case of another kind cannot be asked over HTTP; undefined if it can. By rule: no case is known by name. */
const UNREACHABLE: Readonly<Record<string, (given: never) => string | undefined>> = {
  price: ({ timing }: { timing?: string }) =>
    timing === 'in_arrears' ? 'the clock stands still for cases of this kind' : undefined,
  round: ({ amounts }: { amounts: string[] }) =>
    amounts.some((amount) => amount.startsWith('-') || /\.\d{16}/.test(amount))
      ? 'prices are not below zero, and have at most 15 decimals'
      : undefined,
  trial: ({ policy }: { policy: string }) =>
    policy === 'period_starts_at_trial_end' ? undefined : 'the first period begins at the end of the trial',
  prorate: ({ period }: { period: GoldenPeriod }) =>
    isCalendarPeriod(period) ? undefined : 'its period is no month, quarter or year',
  segments: (given: { anchor: string; start: string; cadence: RecurringCadence }) =>
    given.start === given.anchor || isReachedByDay(given)
      ? undefined
      : 'a period can be anchored on a day of the month, not on another month',
  ...UNREACHABLE_CREDITS,
};

/** Why the case cannot be asked over HTTP; undefined if it can. */
export function unreachable({ given }: GoldenCase): string | undefined {
  return UNREACHABLE_KINDS[given.kind] ?? UNREACHABLE[given.kind]?.(given as never);
}

/** Asks the API what it makes of cases. Each has a customer of its own, and where it moves the clock a workspace. */
export class GoldenClient {
  private standing: Promise<CaseWorkspace> | undefined;

  constructor(private readonly system: System) {}

  async evaluate({ given }: GoldenCase): Promise<Readonly<Record<string, unknown>>> {
    const { kind, currency = 'USD' } = given as { kind: string; currency?: string };
    const ask = STANDING[kind] ?? MOVING[kind];
    if (!ask) throw new Error(`Nobody asks for the kind "${kind}"`);
    const workspace = kind in STANDING ? (this.standing ??= this.open()) : this.open();
    return ask(await Account.open(await workspace, currency), given as never);
  }

  private open(): Promise<CaseWorkspace> {
    return openWorkspace(this.system, '2024-03-01T00:00:00Z');
  }
}

function isCalendarPeriod({ start, end }: GoldenPeriod): boolean {
  const anchor = { anchor: instantOf(start), timezone: 'UTC' };
  return periodContaining(anchor, cadenceOf({ start, end }), anchor.anchor).end === instantOf(end);
}

function isReachedByDay({
  anchor,
  start,
  cadence,
}: {
  anchor: string;
  start: string;
  cadence: RecurringCadence;
}) {
  const at = instantOf(anchor);
  const dayOfMonth = Number(anchor.slice(8, 10));
  return (
    periodContaining(anchorFor(instantOf(start), 'UTC', cadence, { dayOfMonth }), cadence, at).start === at
  );
}
