import { omit } from '#libs/kernel/core';
import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { debtDecider } from './debt.js';
import type { DunningEvent } from './events.js';
import type { DunningPolicy, DunningStep } from './policies/events.js';

const { given } = decide(debtDecider);
const key = { customerId: 'ada', currency: 'USD' };
const processId = 'dun_1';
const day = (number: number, time = '09:00:00.000') => `2026-03-${String(number).padStart(2, '0')}T${time}Z`;
const step = (afterDays: number, more: Partial<DunningStep> = {}): DunningStep => ({
  afterDays,
  channel: 'email',
  template: 'reminder',
  subscription: 'none',
  ...more,
});
const policy: DunningPolicy = {
  name: 'Reminders',
  enabled: true,
  steps: [step(3), step(7, { template: 'final_notice', subscription: 'pause' })],
};
const add = (invoiceId: string, more: object = {}) =>
  ({ type: 'AddInvoice', ...key, at: day(1), invoiceId, since: day(1), processId, policy, ...more }) as const;
const mail = (number: number, at: string, more: object = {}) =>
  ({
    ...({ type: 'TakeStep', ...key, at, processId, mailId: `mail_${number}` } as const),
    isPolicyEnabled: true,
    invoices: [{ invoiceId: 'inv_1', amount: '20.00' }],
    ...more,
  }) as const;
const started: DunningEvent = {
  type: 'DunningStarted',
  data: {
    processId,
    ...key,
    at: day(1),
    policyId: 'default',
    policyName: 'Reminders',
    steps: policy.steps,
    invoiceIds: ['inv_1'],
    nextStepAt: day(4),
    invoices: [{ invoiceId: 'inv_1', since: day(1), lastAfterDays: null }],
  },
};
const taken = (number: number, at: string, nextStepAt: string | null, since = day(1)): DunningEvent => {
  const { channel, template, subscription } = policy.steps[number - 1]!;
  return {
    type: 'DunningStepTaken',
    data: {
      processId,
      ...key,
      at,
      step: number,
      channel,
      template,
      subscription,
      mailId: `mail_${number}`,
      invoiceIds: ['inv_1'],
      amount: '20.00',
      nextStepAt,
      due: [{ invoiceId: 'inv_1', step: number, subscription, since }],
    },
  };
};
const ended = (at: string, reason: 'settled' | 'completed' | 'policy_disabled'): DunningEvent => ({
  type: 'DunningEnded',
  data: { processId, ...key, at, reason },
});
const removed = (invoiceId: string, at: string, nextStepAt: string | null = null): DunningEvent => ({
  type: 'DunningInvoiceSettled',
  data: { processId, ...key, at, invoiceId, reason: 'paid', nextStepAt },
});
const added = (invoiceId: string, since: string, nextStepAt: string): DunningEvent => ({
  type: 'DunningInvoiceAdded',
  data: { processId, ...key, at: since, invoiceId, since, nextStepAt },
});
const remove = (invoiceId: string, at: string) =>
  ({ type: 'RemoveInvoice', ...key, at, invoiceId, reason: 'paid' }) as const;

describe('an overdue invoice', () => {
  it('starts a process with the steps of the policy', () => {
    given().when(add('inv_1')).then(started);
  });

  it('joins the running process, once', () => {
    const second = added('inv_2', day(2), day(4));
    given(started)
      .when(add('inv_2', { at: day(2), since: day(2) }))
      .then(second);
    given(started, second).when(add('inv_2')).then();
  });

  it('starts nothing if the policy is disabled', () => {
    given()
      .when(add('inv_1', { policy: { ...policy, enabled: false } }))
      .then();
  });

  it('starts a process for all overdue invoices after the last one was completed', () => {
    given(started, taken(1, day(4), day(8)), taken(2, day(8), null), ended(day(8), 'completed'))
      .when(add('inv_2', { at: day(9), since: day(9), processId: 'dun_2' }))
      .then({
        type: 'DunningStarted',
        data: {
          ...started.data,
          processId: 'dun_2',
          at: day(9),
          invoiceIds: ['inv_1', 'inv_2'],
          nextStepAt: day(12),
          invoices: [
            { invoiceId: 'inv_1', since: day(1), lastAfterDays: 7 },
            { invoiceId: 'inv_2', since: day(9), lastAfterDays: null },
          ],
        },
      });
  });
});

describe('a step', () => {
  it('is taken when it is due, once, and plans the next one', () => {
    given(started)
      .when(mail(1, day(3)))
      .then();
    given(started)
      .when(mail(1, day(4)))
      .then(taken(1, day(4), day(8)));
    given(started, taken(1, day(4), day(8)))
      .when(mail(1, day(5)))
      .then();
  });

  it('that comes late moves the later ones, so they keep their distance', () => {
    given(started)
      .when(mail(1, day(4, '09:30:00.000')))
      .then(taken(1, day(4, '09:30:00.000'), day(8)));
    given(started)
      .when(mail(1, day(20)))
      .then(taken(1, day(20), day(24), day(17)));
  });

  it('ends the process if it is the last one', () => {
    given(started, taken(1, day(4), day(8)))
      .when(mail(2, day(8)))
      .then(taken(2, day(8), null), ended(day(8), 'completed'));
  });

  it('is not taken if the policy was disabled, if nothing is overdue, or in another process', () => {
    given(started)
      .when(mail(1, day(4), { isPolicyEnabled: false }))
      .then(ended(day(4), 'policy_disabled'));
    given(started)
      .when(mail(1, day(4), { invoices: [] }))
      .then();
    given(started)
      .when(mail(1, day(4), { processId: 'dun_0' }))
      .then();
  });
});

describe('the steps of several invoices', () => {
  const owing = (...invoiceIds: string[]) => ({
    invoices: invoiceIds.map((invoiceId) => ({ invoiceId, amount: '20.00' })),
  });
  const first = taken(1, day(4), day(8));
  const second = added('inv_2', day(7), day(8));

  it('count from the time of each invoice, also after an older one is paid', () => {
    given(started, first)
      .when(add('inv_2', { at: day(7), since: day(7) }))
      .then(second);
    given(started, first, second)
      .when(remove('inv_1', day(8, '08:00:00.000')))
      .then(removed('inv_1', day(8, '08:00:00.000'), day(10)));
    const alone = [started, first, second, removed('inv_1', day(8, '08:00:00.000'), day(10))];
    given(...alone)
      .when(mail(2, day(8), owing('inv_2')))
      .then();
    given(...alone)
      .when(mail(2, day(10), owing('inv_2')))
      .then({
        type: 'DunningStepTaken',
        data: {
          processId,
          ...key,
          at: day(10),
          step: 1,
          channel: 'email',
          template: 'reminder',
          subscription: 'none',
          mailId: 'mail_2',
          invoiceIds: ['inv_2'],
          amount: '20.00',
          due: [{ invoiceId: 'inv_2', step: 1, subscription: 'none', since: day(7) }],
          nextStepAt: day(14),
        },
      });
  });

  it('are in one mail that names all, and pause only for the invoice whose step it is', () => {
    given(started, first, added('inv_2', day(6), day(8)))
      .when(mail(2, day(8), owing('inv_1', 'inv_2')))
      .then({
        type: 'DunningStepTaken',
        data: {
          processId,
          ...key,
          at: day(8),
          step: 2,
          channel: 'email',
          template: 'final_notice',
          subscription: 'pause',
          mailId: 'mail_2',
          invoiceIds: ['inv_1', 'inv_2'],
          amount: '40.00',
          due: [
            { invoiceId: 'inv_1', step: 2, subscription: 'pause', since: day(1) },
            // The reminder of the second invoice would be due a day later, so it goes with this mail.
            { invoiceId: 'inv_2', step: 1, subscription: 'none', since: day(6) },
          ],
          nextStepAt: day(13),
        },
      });
  });

  it('are not taken early if they pause', () => {
    const both = [started, added('inv_2', day(2), day(4))];
    const reminder = given(...both)
      .when(mail(1, day(4), owing('inv_1', 'inv_2')))
      .events();
    given(...both, ...reminder)
      .when(mail(2, day(8), owing('inv_1', 'inv_2')))
      .then({
        type: 'DunningStepTaken',
        data: {
          processId,
          ...key,
          at: day(8),
          step: 2,
          channel: 'email',
          template: 'final_notice',
          subscription: 'pause',
          mailId: 'mail_2',
          invoiceIds: ['inv_1', 'inv_2'],
          amount: '40.00',
          due: [{ invoiceId: 'inv_1', step: 2, subscription: 'pause', since: day(1) }],
          nextStepAt: day(9),
        },
      });
  });

  it('of an old process go on as they were planned', () => {
    const old = omit(started.data, ['invoices']);
    const oldStep = omit(first.data as Extract<DunningEvent, { type: 'DunningStepTaken' }>['data'], ['due']);
    given({ type: 'DunningStarted', data: old }, { type: 'DunningStepTaken', data: oldStep })
      .when(mail(2, day(8)))
      .then(taken(2, day(8), null), ended(day(8), 'completed'));
  });
});

describe('a payment', () => {
  it('ends the process at any point, and no step follows', () => {
    const paid = [removed('inv_1', day(5)), ended(day(5), 'settled')];
    given(started, taken(1, day(4), day(8)))
      .when(remove('inv_1', day(5)))
      .then(...paid);
    given(started, taken(1, day(4), day(8)), ...paid)
      .when(mail(2, day(8)))
      .then();
  });

  it('of an invoice that was never overdue changes nothing', () => {
    given()
      .when(remove('inv_1', day(5)))
      .then();
    given(started)
      .when(remove('inv_2', day(5)))
      .then();
  });
});
