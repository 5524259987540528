import { Temporal } from 'temporal-polyfill';
import { fold } from '#libs/kernel/domain';
import type { Charge, PriceSnapshot } from '#libs/rating';
import {
  isDue,
  nextDue,
  subscriptionDecider,
  type Bill,
  type CancelOptions,
  type Subscription,
  type SubscriptionCommand,
  type TermsChange,
} from '#libs/contexts/subscriptions';
import { create, linesOfBills, pass, plan, price, subscriptionId } from '../support/sample-subscription.js';

/*
 * The worked examples of docs/billing-rules.md. A line is a day of 2026 with what happens then, or what is billed then:
 *
 *   1 Apr subscribe Base 30 monthly
 *   1 Apr: Base 30.00 for 1 Apr to 1 May
 *
 * A fee is in advance, unless `in arrears` stands behind it. `Calls usage` is metered, and billed without an amount.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CADENCES = { monthly: 'monthly', quarterly: 'quarterly', yearly: 'annual', once: 'one_time' } as const;

/** What an example says that happens, and what it says that is billed. */
export interface Example {
  readonly title: string;
  readonly happens: readonly string[];
  readonly billed: readonly string[];
}

/** The examples of a page: each fenced block that is called `billing`, under its title. */
export function examplesOf(page: string): Example[] {
  return [...page.matchAll(/^### (.+)\n\n```billing\n([\s\S]*?)^```$/gm)].map(([, title, text]) => {
    const lines = text!.split('\n').filter((line) => line.trim() !== '');
    const isBilled = (line: string) => /^\d+ \w+( 2027)?:/.test(line);
    return {
      title: title!,
      happens: lines.filter((line) => !isBilled(line)),
      billed: lines.filter(isBilled),
    };
  });
}

/** What is billed, line by line, if that happens. */
export function play(happens: readonly string[]): string[] {
  const bills: Bill[] = [];
  let state: Subscription | undefined;
  const run = (command: SubscriptionCommand) => {
    const count = state?.billCount ?? 0;
    state = fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;
    if (state.billCount > count) bills.push(state.lastBill!);
  };
  for (const [i, line] of happens.entries()) {
    const [, day, what] = /^(\d+ \w+(?: 2027)?) (.+)$/.exec(line)!;
    const at = instantOf(day!);
    while (state && isDue(state, at)) run(pass(nextDue(state)!.at));
    if (what !== 'comes') run(commandFor(what!, at, `amd_${i}`));
  }
  const lines = linesOfBills(bills);
  return bills.flatMap((bill, i) => [
    ...lines[i]!.map(({ description, amount, periodStart, periodEnd }) =>
      printed(bill.billedAt, `${description.replace(/ \(.*/, '')} ${amount}`, periodStart, periodEnd),
    ),
    ...bill.charges
      .filter(({ price: { metricId } }) => metricId !== null)
      .map(({ price: { name }, service }: Charge) =>
        printed(bill.billedAt, name, service.start, service.end),
      ),
  ]);
}

function printed(billedAt: string, what: string, start: string, end: string): string {
  return `${dayOf(billedAt)}: ${what}${start === end ? '' : ` for ${dayOf(start)} to ${dayOf(end)}`}`;
}

/** How a subscription ends. */
const OPTIONS: Record<string, CancelOptions> = {
  'a refund': { credit: 'refund', finalInvoice: true },
  'no credit': { credit: 'none', finalInvoice: true },
  'no final invoice': { credit: 'balance', finalInvoice: false },
};

function commandFor(what: string, at: string, amendmentId: string): SubscriptionCommand {
  const [, verb = '', rest = ''] =
    /^(subscribe|amend without proration|amend|schedule|pause|resume|cancel at the period's end|cancel at|cancel with|cancel)(?: (.+))?$/.exec(
      what,
    )!;
  const about = { subscriptionId, at };
  const amendment = (prorate: boolean) => ({
    ...({ ...about, amendmentId, kind: 'amend', prorate } as const),
    change: { plan: plan(...feesOf(rest)), addPrices: [], removePrices: [], quantities: {} } as TermsChange,
  });
  switch (verb) {
    case 'subscribe':
      return create(feesOf(rest), { startsAt: at, at });
    case 'amend':
      return { type: 'AmendSubscription', ...amendment(true) };
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

function feesOf(text: string): PriceSnapshot[] {
  return text.split(', ').map((fee) => {
    const [, name, amount, cadence, timing] = /^(\w+) (?:usage|(\d+) (\w+)( in arrears)?)$/.exec(fee)!;
    if (amount === undefined)
      return price(name!, {
        config: { model: 'unit', unitPrice: '0.01', currency: 'USD' },
        ...{ cadence: 'usage_based', metricId: `met_${name}` },
      });
    return price(name!, {
      config: { model: 'flat', amount, currency: 'USD' },
      cadence: CADENCES[cadence as keyof typeof CADENCES],
      timing: timing ? 'in_arrears' : 'in_advance',
    });
  });
}

function instantOf(day: string): string {
  const [, date, month, year = '2026'] = /^(\d+) (\w+)(?: (\d+))?$/.exec(day)!;
  const when = Temporal.PlainDate.from({
    year: Number(year),
    month: MONTHS.indexOf(month!) + 1,
    day: Number(date),
  });
  return `${when.toString()}T00:00:00.000Z`;
}

function dayOf(instant: string): string {
  const { day, month, year } = Temporal.PlainDate.from(instant.slice(0, 10));
  return `${day} ${MONTHS[month - 1]}${year === 2026 ? '' : ` ${year}`}`;
}
