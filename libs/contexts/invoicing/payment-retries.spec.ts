import { describe, expect, it } from '@jest/globals';
import type { ChargeOutcome } from '#libs/contexts/payments';
import { addSeconds, type Instant } from '#libs/kernel/core';
import { decide } from '#libs/kernel/testing';
import { invoiceEvents, sampleMethod as method } from '../../../test/support/sample-invoice.js';
import { invoiceDecider } from './decider.js';
import type { InvoiceCommandOf } from './decisions/invoice-command.js';
import type { InvoiceEvent } from './events.js';
import type { Invoice } from './invoice.js';
import { retryStateOf, type RetryEndReason, type RetryPlan, type RetryRules } from './payment-retries.js';

const { given } = decide(invoiceDecider);

const invoiceOf = (history: readonly InvoiceEvent[]) =>
  history.reduce<Invoice | undefined>((before, event) => invoiceDecider.evolve(before, event), undefined);

const invoiceId = 'inv_1';
const openedAt = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId, customerId: 'cust_1', currency: 'USD', total: '20.00' };
const events = invoiceEvents({ at: openedAt, ...reference });
const open = [events.created(), events.opened()];
const day = (days: number) => addSeconds(openedAt, days * 86_400);

const rules: RetryRules = {
  intervalsDays: [1, 3],
  localHour: null,
  whenExhausted: 'mark_uncollectible',
  subscription: 'cancel',
};
const consequences = { whenExhausted: 'mark_uncollectible', subscription: 'cancel' } as const;
const declined = { status: 'failed', code: 'insufficient_funds', message: 'No funds.' } as const;
const stolen = { status: 'failed', code: 'stolen_card', message: 'Stolen.' } as const;

const complete = (
  attempt: number,
  at: Instant,
  outcome: ChargeOutcome = declined,
  retryRules: RetryRules | null = rules,
) => ({ type: 'CompletePayment', at, invoiceId, attemptId: `pay_${attempt}`, outcome, retryRules }) as const;
const started = (attempt: number, at: Instant, retry?: number): InvoiceEvent => ({
  type: 'PaymentStarted',
  data: {
    at,
    ...reference,
    attemptId: `pay_${attempt}`,
    attempt,
    ...(retry === undefined ? {} : { retry }),
    amount: '20.00',
    method,
  },
});
const failed = (
  attempt: number,
  at: Instant,
  retries: RetryPlan | null,
  { code, message } = { code: 'insufficient_funds', message: 'No funds.' },
): InvoiceEvent => ({
  type: 'PaymentFailed',
  data: {
    at,
    ...reference,
    attemptId: `pay_${attempt}`,
    attempt,
    code,
    message,
    ...(retries && { retries }),
  },
});
const next = (nextAttemptAt: Instant): RetryPlan => ({ nextAttemptAt });
const ended = (reason: RetryEndReason, givesUpAt: Instant): RetryPlan => ({
  ended: reason,
  givesUpAt,
  ...consequences,
});
const paidBy = (attempt: number): InvoiceEvent => ({
  type: 'PaymentSucceeded',
  data: { at: day(4), ...reference, attemptId: `pay_${attempt}`, attempt, amount: '20.00', recovered: true },
});
/** The first charge failed, and so did the first retry a day later. The last retry is planned for day 4. */
const afterFirstRetry = [
  ...open,
  started(1, openedAt),
  failed(1, openedAt, next(day(1))),
  started(2, day(1), 1),
  failed(2, day(1), next(day(4))),
];

describe('a failed charge', () => {
  it('plans the first retry', () => {
    given(...open, started(1, openedAt))
      .when(complete(1, openedAt))
      .then(failed(1, openedAt, next(day(1))));
  });

  it('plans the next retry from the time of this one, though it was made late', () => {
    given(...open, started(1, openedAt), failed(1, openedAt, next(day(1))), started(2, day(1.5), 1))
      .when(complete(2, day(1.5)))
      .then(failed(2, day(1.5), next(day(4.5))));
  });

  it('ends the retries at once if it was the last one', () => {
    given(...afterFirstRetry, started(3, day(4), 2))
      .when(complete(3, day(4)))
      .then(failed(3, day(4), ended('exhausted', day(4))));
  });

  it('leaves the planned retry as it is, if the charge was made on request', () => {
    given(...afterFirstRetry, started(3, day(2)))
      .when(complete(3, day(2)))
      .then(failed(3, day(2), next(day(4))));
  });

  it('leaves a retry planned that is due, if a charge on request failed before the retry was made', () => {
    given(...open, started(1, openedAt), failed(1, openedAt, next(day(1))), started(2, day(1.1)))
      .when(complete(2, day(1.1)))
      .then(failed(2, day(1.1), next(day(1))));
  });

  it('leaves time to confirm, if the last retry needs a confirmation: the last interval, 3 days', () => {
    given(...afterFirstRetry, started(3, day(4), 2))
      .when(complete(3, day(4), { status: 'requires_action', message: 'Please confirm.' }))
      .then({
        type: 'PaymentActionRequired',
        data: {
          at: day(4),
          ...reference,
          attemptId: 'pay_3',
          message: 'Please confirm.',
          retries: ended('action_required', day(7)),
        },
      });
  });

  it('plans nothing without rules, for an invoice that is not collected automatically, and after a write-off', () => {
    given(...open, started(1, openedAt))
      .when(complete(1, openedAt, declined, null))
      .then(failed(1, openedAt, null));
    const settings = { ...events.created().data.settings, autoCollect: false };
    given(events.created({ settings }), events.opened(), started(1, openedAt))
      .when(complete(1, openedAt))
      .then(failed(1, openedAt, null));
  });
});

describe('an amount that cannot be charged', () => {
  const refusal = (code: string) => ({ status: 'failed', code, message: 'No.' }) as const;
  const plan = (code: RetryEndReason, givesUpAt: Instant): RetryPlan => ({
    ended: code,
    givesUpAt,
    whenExhausted: 'leave_open',
    subscription: 'none',
  });

  it.each(['amount_too_small', 'amount_too_large', 'amount_not_chargeable'] as const)(
    'ends the retries at once, and changes neither the invoice nor its subscription: %s',
    (code) => {
      given(...open, started(1, openedAt))
        .when(complete(1, openedAt, refusal(code)))
        .then(failed(1, openedAt, plan(code, openedAt), refusal(code)));
      given(...open, started(1, openedAt), failed(1, openedAt, plan(code, openedAt), refusal(code)))
        .when({ type: 'EndPaymentRetries', at: openedAt, invoiceId, afterAttemptId: 'pay_1' })
        .then({
          type: 'PaymentRetriesEnded',
          data: { at: openedAt, ...reference, attemptId: 'pay_1', reason: code, subscription: 'none' },
        });
    },
  );
});

describe('a decline that no retry can cure', () => {
  it('ends the retries, and waits for a new card until the last retry would have been made', () => {
    given(...open, started(1, openedAt))
      .when(complete(1, openedAt, stolen))
      .then(failed(1, openedAt, ended('final_decline', day(4)), stolen));
  });

  it('lets the retries go on if another card is declined for another reason', () => {
    given(
      ...open,
      started(1, openedAt),
      failed(1, openedAt, ended('final_decline', day(4)), stolen),
      started(2, day(2)),
    )
      .when(complete(2, day(2)))
      .then(failed(2, day(2), next(day(3))));
  });

  it('is treated like a payment that the customer does not confirm', () => {
    given(...open, started(1, openedAt))
      .when(complete(1, openedAt, { status: 'requires_action', message: 'Please confirm.' }))
      .then({
        ...events.needsAction(),
        data: { ...events.needsAction().data, retries: ended('action_required', day(4)) } as never,
      });
  });
});

describe('a planned retry', () => {
  const retry = (attempt: number, at: Instant, retryAfter: string): InvoiceCommandOf<'StartPayment'> => ({
    type: 'StartPayment',
    at,
    invoiceId,
    attemptId: `pay_${attempt}`,
    method,
    opening: null,
    retryAfter,
  });
  const declinedOnce = [...open, started(1, openedAt), failed(1, openedAt, next(day(1)))];

  it('starts when it is due, and has its number', () => {
    given(...declinedOnce)
      .when(retry(2, day(1), 'pay_1'))
      .then(started(2, day(1), 1));
    given(...afterFirstRetry)
      .when(retry(3, day(4), 'pay_2'))
      .then(started(3, day(4), 2));
  });

  it('is refused before its time, if another attempt has changed the plan, and after a write-off', () => {
    given(...declinedOnce)
      .when(retry(2, day(0.5), 'pay_1'))
      .refused('retry_not_due');
    given(...afterFirstRetry)
      .when(retry(3, day(4), 'pay_1'))
      .refused('retry_not_due');
    const writtenOff: InvoiceEvent = {
      type: 'InvoiceMarkedUncollectible',
      data: { at: day(2), ...reference, amount: '20.00' },
    };
    given(...afterFirstRetry, writtenOff)
      .when(retry(3, day(4), 'pay_2'))
      .refused('retry_not_due');
  });
});

describe('a charge of a new card', () => {
  const charge = (attempt: number, newestAttempt: string): InvoiceCommandOf<'StartPayment'> => ({
    type: 'StartPayment',
    at: openedAt,
    invoiceId,
    attemptId: `pay_${attempt}`,
    method,
    opening: null,
    newestAttempt,
  });
  const declinedOnce = [...open, started(1, openedAt), failed(1, openedAt, next(day(1)))];

  it('is made once, though the change of the card and the failed charge both ask for it', () => {
    given(...declinedOnce)
      .when(charge(2, 'pay_1'))
      .then(started(2, openedAt));
    given(...declinedOnce, started(2, openedAt), failed(2, openedAt, next(day(1))))
      .when(charge(3, 'pay_1'))
      .refused('charged_meanwhile');
  });
});

describe('a retry that is due, and the customer has no payment method', () => {
  const skip = (at: Instant, afterAttemptId: string) =>
    ({ type: 'SkipPaymentRetry', at, invoiceId, afterAttemptId, retryRules: rules }) as const;

  it('is recorded, and a new one is waited for until the last retry would have been made', () => {
    given(...open, started(1, openedAt), failed(1, openedAt, next(day(1))))
      .when(skip(day(1), 'pay_1'))
      .then({
        type: 'PaymentRetrySkipped',
        // From day 1, the intervals of 1 and 3 days are both left.
        data: { at: day(1), ...reference, attemptId: 'pay_1', retries: ended('no_payment_method', day(5)) },
      });
  });

  it('is not recorded before its time, or twice', () => {
    given(...afterFirstRetry)
      .when(skip(day(3), 'pay_2'))
      .refused('retry_not_due');
    given(...afterFirstRetry, {
      type: 'PaymentRetrySkipped',
      data: { at: day(4), ...reference, attemptId: 'pay_2', retries: ended('no_payment_method', day(7)) },
    })
      .when(skip(day(4), 'pay_2'))
      .refused('retry_not_due');
  });
});

describe('a payment after a failed one', () => {
  it('is marked as recovered', () => {
    given(...afterFirstRetry, started(3, day(4), 2))
      .when(complete(3, day(4), { status: 'succeeded' }))
      .then(
        {
          type: 'PaymentSucceeded',
          data: {
            at: day(4),
            ...reference,
            attemptId: 'pay_3',
            attempt: 3,
            amount: '20.00',
            recovered: true,
          },
        },
        { type: 'InvoicePaid', data: { at: day(4), ...reference, attemptId: 'pay_3' } },
      );
  });
});

describe('the end of the retries', () => {
  const exhausted = [
    ...afterFirstRetry,
    started(3, day(4), 2),
    failed(3, day(4), ended('exhausted', day(4))),
  ];
  const end = (at: Instant, afterAttemptId: string) =>
    ({ type: 'EndPaymentRetries', at, invoiceId, afterAttemptId }) as const;
  const over: InvoiceEvent = {
    type: 'PaymentRetriesEnded',
    data: { at: day(4), ...reference, attemptId: 'pay_3', reason: 'exhausted', subscription: 'cancel' },
  };

  it('writes the invoice off if the settings of the last failure said so', () => {
    given(...exhausted)
      .when(end(day(4), 'pay_3'))
      .then(over, {
        type: 'InvoiceMarkedUncollectible',
        data: { at: day(4), ...reference, amount: '20.00' },
      });
  });

  it('leaves the invoice open otherwise', () => {
    const plan: RetryPlan = {
      ...ended('exhausted', day(4)),
      whenExhausted: 'leave_open',
      subscription: 'none',
    } as never;
    given(...afterFirstRetry, started(3, day(4), 2), failed(3, day(4), plan))
      .when(end(day(4), 'pay_3'))
      .then({ ...over, data: { ...over.data, subscription: 'none' } as never });
  });

  it('happens once, and plans nothing after later failures', () => {
    given(...exhausted, over)
      .when(end(day(4), 'pay_3'))
      .then();
    given(...exhausted, over, started(4, day(9)))
      .when(complete(4, day(9)))
      .then(failed(4, day(9), null));
  });

  it('keeps its reason after later failures', () => {
    const history = [...exhausted, over, started(4, day(9)), failed(4, day(9), null)];
    const invoice = invoiceOf(history);
    expect(invoice?.retries).toMatchObject({ plan: { ended: 'exhausted' }, gaveUp: true });
  });

  it('does not happen before its time, during a charge, after another attempt, or after the payment', () => {
    given(...open, started(1, openedAt), failed(1, openedAt, ended('final_decline', day(4)), stolen))
      .when(end(day(3), 'pay_1'))
      .then();
    given(...exhausted, started(4, day(4)))
      .when(end(day(4), 'pay_3'))
      .then();
    given(...exhausted)
      .when(end(day(4), 'pay_2'))
      .then();
    given(...exhausted, { type: 'InvoicePaid', data: { at: day(4), ...reference, attemptId: null } })
      .when(end(day(4), 'pay_3'))
      .then();
  });

  it.each([
    ['scheduled', afterFirstRetry],
    ['waiting', [...open, started(1, openedAt), failed(1, openedAt, ended('final_decline', day(4)), stolen)]],
    ['exhausted', [...exhausted, over]],
    ['recovered', [...afterFirstRetry, started(3, day(4), 2), paidBy(3), events.paid()]],
    // A credit note over the whole invoice paid it.
    [null, [...afterFirstRetry, events.paid()]],
    [null, [...open, started(1, openedAt)]],
    [null, [...afterFirstRetry, events.voided()]],
  ])('is told from an invoice that is %s', (state, history) => {
    const invoice = invoiceOf(history);
    expect(retryStateOf(invoice!)).toBe(state);
  });
});
