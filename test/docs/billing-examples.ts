import { sumOf } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import {
  lateUsageLines,
  PRORATION_BY_TIME,
  type Charge,
  type InvoiceLine,
  type LateUsage,
  type MeasuredUsage,
  type MinimumCommitment,
  type PriceSnapshot,
  type RecurringCadence,
} from '#libs/rating';
import {
  isChangeDue,
  nextDueChange,
  subscriptionDecider,
  type Bill,
  type CancelOptions,
  type Subscription,
  type SubscriptionCommand,
  type TermsChange,
} from '#libs/contexts/subscriptions';
import { create, linesOfBills, pass, plan, price, subscriptionId } from '../support/sample-subscription.js';
import type { Block } from './blocks.js';
import { dayOf, instantOf } from './days.js';

/*
 * Worked examples of subscriptions. A line is a day of 2026 with what happens then, or what is billed then:
 *
 *   1 Apr subscribe Base 30 monthly
 *   1 Apr: Base 30.00 for 1 Apr to 1 May
 *
 * A fee is in advance, unless `in arrears` stands behind it. `10 Seat 12 each monthly` are ten units of a fee per unit; without the number, the
 * request names no units. `Calls usage` is metered, at 0.01 a unit. It is billed without an amount, unless
 * the example says what is used: `10 Apr use 500 Calls`; `10 Apr use 500 Calls of 5 Apr` arrives late. A plan can have `minimum 100` or `minimum 1200 yearly`; a subscription begins
 * with `trial 14 days`, or with periods from `day 1` on. `add` and `remove` change what a subscription has of its own; `migrate` names the
 * prices of the newer version of its plan. `schedule` changes the plan at the end of the period, and `switch to` is a change in the portal.
 */

const CADENCES = { monthly: 'monthly', quarterly: 'quarterly', yearly: 'annual', once: 'one_time' } as const;

/** What happens, and what is billed: the lines of an example by what they begin with. */
export function readBilling({ text }: Block): { happens: string[]; billed: string[] } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isBilled = (line: string) => /^\d+ \w+( 2027)?:/.test(line);
  return { happens: lines.filter((line) => !isBilled(line)), billed: lines.filter(isBilled) };
}

/** What is billed, line by line, if that happens. */
export function play(happens: readonly string[]): string[] {
  const subscription = new PlayedSubscription();
  for (const line of happens) subscription.take(line);
  const { bills, used } = subscription;
  const lines = linesOfBills(
    bills,
    used.length > 0 ? (charge, { billedAt }) => usageOf(charge, used, billedAt) : undefined,
  );
  return bills.flatMap((bill, i) => [
    ...[...lines[i]!, ...lateLines(bills, i, used)].map(
      ({ type, description, amount, periodStart, periodEnd }) => {
        const name = type === 'minimum' ? 'up to the minimum' : description.replace(/ \(.*/, '');
        return printed(bill.billedAt, `${name} ${amount}`, periodStart, periodEnd);
      },
    ),
    ...bill.charges
      .filter(({ price: { metricId } }) => metricId !== null && used.length === 0)
      .map(({ price: { name }, service }: Charge) =>
        printed(bill.billedAt, name, service.start, service.end),
      ),
  ]);
}

/** The subscription of an example, which lives from line to line. */
export class PlayedSubscription {
  readonly bills: Bill[] = [];
  readonly used: Used[] = [];
  private lines = 0;
  private present: Subscription | undefined;

  /** The subscription after the lines so far. */
  get state(): Subscription {
    return this.present!;
  }

  /** Passes what is due by the day of the line, and then does what the line says. */
  take(line: string): void {
    const [, day = '', what = ''] = /^(\d+ \w+(?: 2027)?) (.+)$/.exec(line)!;
    const at = instantOf(day);
    this.passTo(at);
    const [, units, name, late = day] = /^use (\d+) (\w+)(?: of (\d+ \w+))?$/.exec(what) ?? [];
    if (units !== undefined)
      this.used.push({ metricId: `met_${name}`, at: instantOf(late), arrivedAt: at, units });
    else if (what !== 'comes') this.run(commandFor(what, at, `amd_${++this.lines}`));
  }

  passTo(at: string): void {
    while (this.present && isChangeDue(this.present, at)) this.run(pass(nextDueChange(this.present)!.at));
  }

  /** The subscription as it would be after that, which does not happen. */
  previewOf(what: string, at: string): Subscription {
    const events = subscriptionDecider.decide(commandFor(what, at, 'amd_0'), this.present);
    return fold(subscriptionDecider, events, this.present)!;
  }

  private run(command: SubscriptionCommand): void {
    const count = this.present?.billCount ?? 0;
    this.present = fold(
      subscriptionDecider,
      subscriptionDecider.decide(command, this.present),
      this.present,
    )!;
    if (this.present.billCount > count) this.bills.push(this.present.lastBill!);
  }
}

/** The lines of a bill for usage that arrived after the bill before it, and that earlier bills charge for. */
function lateLines(bills: readonly Bill[], index: number, used: readonly Used[]): InvoiceLine[] {
  const late = bills.slice(0, index).flatMap(({ invoiceId, charges }): LateUsage[] =>
    charges
      .filter(({ price: { metricId } }) => metricId !== null)
      .map((charge) => ({
        charge,
        invoiceId,
        basis: PRORATION_BY_TIME,
        billed: usageOf(charge, used, bills[index - 1]!.billedAt),
        counted: usageOf(charge, used, bills[index]!.billedAt),
        since: '1',
        watermark: '2',
        atMost: '0',
      })),
  );
  return lateUsageLines(late, bills[index]!.invoiceId);
}

function printed(billedAt: string, what: string, start: string, end: string): string {
  return `${dayOf(billedAt)}: ${what}${start === end ? '' : ` for ${dayOf(start)} to ${dayOf(end)}`}`;
}

/** What a customer used at an instant, and when the seller learned of it. */
interface Used {
  readonly metricId: string;
  readonly at: string;
  readonly arrivedAt: string;
  readonly units: string;
}

/** The usage of a charge that had arrived by an instant. */
function usageOf({ price: { metricId }, service }: Charge, all: readonly Used[], by: string): MeasuredUsage {
  const used = all.filter(({ arrivedAt }) => arrivedAt <= by);
  const within = used.filter(
    (one) => one.metricId === metricId && one.at >= service.start && one.at < service.end,
  );
  const quantity = sumOf(within.map(({ units }) => units)).toFixed();
  return { metricVersion: 1, groupBy: [], groups: [{ values: {}, quantity, watermark: '1' }] };
}

/** How a subscription ends. */
const OPTIONS: Record<string, CancelOptions> = {
  'a refund': { credit: 'refund', finalInvoice: true },
  'no credit': { credit: 'none', finalInvoice: true },
  'no final invoice': { credit: 'balance', finalInvoice: false },
};

function commandFor(what: string, at: string, amendmentId: string): SubscriptionCommand {
  const [, verb = '', rest = ''] =
    /^(subscribe|amend without proration|amend|switch to|migrate|add|remove|schedule|pause|resume|cancel at the period's end|cancel at|cancel with|cancel)(?: (.+))?$/.exec(
      what,
    )!;
  const about = { subscriptionId, at };
  const amendment = (prorate: boolean) => ({
    ...({ ...about, amendmentId, kind: 'amend', prorate } as const),
    change: {
      plan: { ...planOf(rest), planVersion: 4 },
      addPrices: [],
      removePrices: [],
      quantities: unitsOf(rest),
    } as TermsChange,
  });
  /** A change of what the subscription has of its own, on its plan. */
  const ofItsOwn = (change: Partial<TermsChange>) => ({
    ...({ ...about, amendmentId, kind: 'amend', prorate: true } as const),
    change: { plan: null, addPrices: [], removePrices: [], quantities: {}, ...change },
  });
  switch (verb) {
    case 'subscribe':
      return create([], {
        plan: planOf(rest),
        quantities: unitsOf(rest),
        startsAt: at,
        at,
        ...beginningOf(rest),
      });
    case 'amend':
      return { type: 'AmendSubscription', ...amendment(true) };
    case 'switch to':
      return { type: 'AmendSubscription', ...amendment(true), replacesPlanChanges: true };
    case 'migrate':
      return { type: 'AmendSubscription', ...amendment(true), kind: 'migrate' };
    case 'add':
      return {
        type: 'AmendSubscription',
        ...ofItsOwn({ addPrices: feesOf(rest), quantities: unitsOf(rest) }),
      };
    case 'remove':
      return { type: 'AmendSubscription', ...ofItsOwn({ removePrices: rest.split(', ') }) };
    case 'amend without proration':
      return { type: 'AmendSubscription', ...amendment(false) };
    case 'schedule':
      return { type: 'ScheduleAmendment', ...amendment(true), effectiveAt: 'period_end' };
    case 'pause':
      return { type: 'PauseSubscription', ...about, pauseAt: null, resumeAt: null };
    case 'resume':
      return { type: 'ResumeSubscription', ...about, resumeAt: null };
    case 'cancel at':
      return { type: 'CancelSubscription', ...about, when: instantOf(rest) };
    case 'cancel with':
      return { type: 'CancelSubscription', ...about, when: 'now', options: OPTIONS[rest]! };
    case 'cancel':
      return { type: 'CancelSubscription', ...about, when: 'now' };
    case "cancel at the period's end":
      return { type: 'CancelSubscription', ...about, when: 'period_end' };
    default:
      throw new Error(`Nobody knows what it is to ${what}`);
  }
}

/** The plan that a list of prices makes, with its minimum commitment. */
function planOf(text: string): ReturnType<typeof plan> & { minimumCommitment?: MinimumCommitment } {
  const [, amount, interval] = /, minimum (\d+)(?: (\w+))?$/.exec(text) ?? [];
  const every = CADENCES[interval as keyof typeof CADENCES] as RecurringCadence;
  return {
    ...plan(...feesOf(text)),
    ...(amount === undefined ? {} : { minimumCommitment: interval ? { amount, interval: every } : amount }),
  };
}

/** When the charged time of a new subscription begins. */
function beginningOf(text: string): { trialDays?: number; anchorDay?: number } {
  const [, trialDays] = /, trial (\d+) days/.exec(text) ?? [];
  const [, anchorDay] = /, day (\d+)/.exec(text) ?? [];
  return {
    ...(trialDays === undefined ? {} : { trialDays: Number(trialDays) }),
    ...(anchorDay === undefined ? {} : { anchorDay: Number(anchorDay) }),
  };
}

/** The units that a list of prices names, by price. */
function unitsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(?:^|, )(\d+) (\w+) \d+ each/g)].map(([, units, name]) => [name, units]),
  );
}

function feesOf(text: string): PriceSnapshot[] {
  const fees = text.split(', ').filter((one) => !/^(minimum|trial|day) \d/.test(one));
  return fees.map((fee) => {
    const [, name, every = '', amount, each, cadence, timing] =
      /^(?:\d+ )?(\w+) (?:usage(?: (\w+))?|(\d+)( each)? (\w+)( in arrears)?)$/.exec(fee)!;
    if (amount === undefined)
      return price(name!, {
        config: { model: 'unit', unitPrice: '0.01', currency: 'USD' },
        cadence: CADENCES[every as keyof typeof CADENCES] ?? 'usage_based',
        metricId: `met_${name}`,
      });
    return price(name!, {
      config: each
        ? { model: 'unit', unitPrice: amount, currency: 'USD' }
        : { model: 'flat', amount, currency: 'USD' },
      cadence: CADENCES[cadence as keyof typeof CADENCES],
      timing: timing ? 'in_arrears' : 'in_advance',
    });
  });
}
