import { fold } from '#libs/kernel/domain';
import { hasUseLeft, type CouponDuration, type CouponInvoice } from '#libs/rating';
import type { Conflict } from '#libs/kernel/core';
import { requireUnchanged } from '../../libs/contexts/approvals/gate/require-unchanged.js';
import { cancellationEffect, pauseEffect } from '../../libs/contexts/billing/changes/proposed-terms.js';
import { debtDecider } from '../../libs/contexts/dunning/debt.js';
import type { DunningEvent } from '../../libs/contexts/dunning/events.js';
import type { DunningPolicy } from '../../libs/contexts/dunning/policies/events.js';
import { PlayedSubscription } from './billing-examples.js';
import { statementsOf } from './blocks.js';
import { dayOf, instantOf } from './days.js';

/*
 * Cases that are about several invoices. The invoices of a coupon, each with the billing period in which it falls:
 *
 *   3 invoices                       also `3 months`
 *   1 Apr                            an invoice at the start of its billing period
 *   5 Apr in the period from 1 Apr
 *
 * The overdue invoices of a customer. A step of the policy pauses the subscriptions of its invoices, if it says so:
 *
 *   steps after 3 days, 7 days, 14 days pause
 *   1 Mar INV-1 is due
 *   5 Mar INV-1 is paid
 *
 * A cancellation or pause that needs an approval. All other lines are those of a subscription (billing-examples.ts):
 *
 *   20 Apr request cancel at the period's end
 *   2 May approve
 */

/** The views of cases, by the kind of the block. */
export const CASE_VIEWS: Readonly<Record<string, (happens: string) => string>> = {
  coupon: couponView,
  dunning: dunningView,
  approval: approvalView,
};

/** Whether each invoice is discounted. */
function couponView(happens: string): string {
  const [asked, ...invoices] = statementsOf(happens);
  const [, count, unit] = /^(\d+) (invoices|months)$/.exec(asked!)!;
  const duration: CouponDuration =
    unit === 'months'
      ? { type: 'months', months: Number(count) }
      : { type: 'repeating', invoices: Number(count) };
  const uses: CouponInvoice[] = [];
  const lines = invoices.map((line, i) => {
    const [, day = '', start = day] = /^(\d+ \w+)(?: in the period from (.+))?$/.exec(line)!;
    const invoice = {
      invoiceId: `inv_${i}`,
      at: instantOf(day),
      timezone: 'UTC',
      periods: [{ subscriptionId: 'sub_1', start: instantOf(start) }],
    };
    const isDiscounted = hasUseLeft(duration, uses, invoice);
    if (isDiscounted) uses.push(invoice);
    return `${day}: ${isDiscounted ? 'discounted' : 'not discounted'}`;
  });
  return `${lines.join('\n')}\n`;
}

/** What each request shows, and what its approval does. */
function approvalView(happens: string): string {
  const subscription = new PlayedSubscription();
  const lines: string[] = [];
  let request: { what: string; effect: ShownEffect } | undefined;
  for (const statement of statementsOf(happens)) {
    const [, day = '', verb, what = ''] = /^(\d+ \w+) (request|approve)(?: (.+))?$/.exec(statement) ?? [];
    if (verb === undefined) {
      subscription.take(statement);
      continue;
    }
    const at = instantOf(day);
    subscription.passTo(at);
    if (verb === 'request') {
      request = { what, effect: effectOf(subscription, what, at) };
      lines.push(`${day}: would take effect on ${request.effect.effectiveAt}`);
    } else {
      const { what: asked, effect: shown } = request!;
      lines.push(`${day}: ${outcomeOf(shown, effectOf(subscription, asked, at))}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

type ShownEffect = Parameters<typeof requireUnchanged>[0];

/** What a cancellation or a pause would do now, with its day as an example writes it. */
function effectOf(subscription: PlayedSubscription, what: string, at: string): ShownEffect {
  const find = what.startsWith('pause') ? pauseEffect : cancellationEffect;
  const { effectiveAt, terms } = find(subscription.state, subscription.previewOf(what, at));
  return { amount: null, currency: 'USD', effectiveAt: effectiveAt && dayOf(effectiveAt), terms };
}

function outcomeOf(shown: ShownEffect, present: ShownEffect): string {
  try {
    requireUnchanged(shown, present);
    return 'executed';
  } catch (error) {
    const { code, message } = error as Conflict;
    return `${code}: ${/: (.*)\. Send/.exec(message)![1]}`;
  }
}

/** The mail that is written, with the invoices that it names and those whose subscriptions are paused. */
function dunningView(happens: string): string {
  const [asked, ...statements] = statementsOf(happens);
  const policy: DunningPolicy = {
    name: 'Reminders',
    enabled: true,
    steps: asked!
      .replace('steps after ', '')
      .split(', ')
      .map((step) => ({
        afterDays: Number.parseInt(step, 10),
        channel: 'email',
        template: 'reminder',
        subscription: step.endsWith('pause') ? 'pause' : 'none',
      })),
  };
  const key = { customerId: 'cust_1', currency: 'USD' };
  const events: DunningEvent[] = [];
  const open = new Set<string>();
  const lines: string[] = [];
  const state = () => fold(debtDecider, events);
  const run = (command: Parameters<typeof debtDecider.decide>[0]) => {
    const decided = debtDecider.decide(command, state());
    events.push(...decided);
    for (const { type, data } of decided)
      if (type === 'DunningStepTaken') {
        const paused = data.due?.filter(({ subscription }) => subscription === 'pause') ?? [];
        const pauses = paused.map(({ invoiceId }) => invoiceId).join(', ');
        const named = `step ${data.step} names ${data.invoiceIds.join(', ')}`;
        lines.push(`${dayOf(data.at)}: ${named}${pauses === '' ? '' : `, pauses for ${pauses}`}`);
      }
  };
  const takeSteps = (until: string) => {
    for (let at = state()?.nextStepAt; at && at < until; at = state()?.nextStepAt) {
      const { processId } = state()!;
      const invoices = [...open].map((invoiceId) => ({ invoiceId, amount: '20.00' }));
      run({ type: 'TakeStep', ...key, at, processId, mailId: 'mail_1', isPolicyEnabled: true, invoices });
    }
  };
  for (const statement of statements) {
    const [, day = '', invoiceId = '', what] = /^(\d+ \w+) (\S+) is (due|paid)$/.exec(statement)!;
    const at = instantOf(day);
    takeSteps(at);
    if (what === 'due') {
      open.add(invoiceId);
      run({ type: 'AddInvoice', ...key, at, invoiceId, since: at, processId: 'dun_1', policy });
    } else {
      open.delete(invoiceId);
      run({ type: 'RemoveInvoice', ...key, at, invoiceId, reason: 'paid' });
    }
  }
  takeSteps('9999');
  return `${lines.join('\n')}\n`;
}
