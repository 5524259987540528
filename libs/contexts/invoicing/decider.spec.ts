import { describe, expect, it } from '@jest/globals';
import type { ChargeOutcome } from '#libs/contexts/payments';
import { decide } from '#libs/kernel/testing';
import type { InvoiceLine } from '#libs/rating';
import { invoiceEvents, sampleMethod as method } from '../../../test/support/sample-invoice.js';
import type { InvoiceEvent, RecomputedAmounts } from './events.js';
import { invoiceDecider } from './decider.js';
import type { InvoiceCommandOf } from './decisions/invoice-command.js';

const { given } = decide(invoiceDecider);

const invoiceId = 'inv_1';
const at = '2026-02-01T00:00:00.000Z';
const later = '2026-02-03T10:00:00.000Z';
const opening = { number: 'INV-000001', sellerName: 'Acme Inc.' };
const month = { periodStart: at, periodEnd: '2026-03-01T00:00:00.000Z' };
const fee: InvoiceLine = {
  id: 'line_1',
  type: 'flat',
  description: 'Platform fee',
  priceId: 'price_1',
  priceVersion: 1,
  quantity: '1',
  unitPrice: '20',
  amount: '20.00',
  ...month,
};

const reference = { invoiceId, customerId: 'cust_1', currency: 'USD', total: '20.00' };
const { started, ...events } = invoiceEvents({ at, ...reference });
const created = events.created({ lines: [fee], ...month });
const opened = events.opened({ ...opening, kind: 'cycle', dueDate: '2026-03-03T00:00:00.000Z' });
const voided = events.voided({ number: opening.number, reason: 'duplicate' });
const [declined, needsAction, confirmed] = [events.declined(), events.needsAction(), events.confirmed()];
const [succeeded, paid] = [events.succeeded(), events.paid()];
const { at: _, ...details } = created.data;

describe('creating an invoice', () => {
  it('records a draft with all its data', () => {
    given().when({ type: 'CreateInvoice', at, invoiceId, details }).then(created);
  });

  it('records nothing if the invoice exists, in any state', () => {
    const again = {
      type: 'CreateInvoice',
      at: later,
      invoiceId,
      details: { ...details, total: '99.00' },
    } as const;
    given(created).when(again).then();
    given(created, opened, voided).when(again).then();
  });
});

describe('voiding an invoice', () => {
  it('leaves no payment that waits for a confirmation', () => {
    const waiting = [created, opened, started(), needsAction];
    expect(given(...waiting, voided).state()).toMatchObject({
      status: 'void',
      attempts: [{ status: 'failed', code: 'invoice_voided', finishedAt: voided.data.at }],
    });
    given(...waiting, voided)
      .when({ type: 'ConfirmPayment', at: later, invoiceId })
      .refused('invoice_void');
  });
});

describe('computing a draft again', () => {
  const line = { ...details.lines[0]!, usageWatermark: '7' };
  const draft: InvoiceEvent = {
    type: 'InvoiceCreated',
    data: { at, ...details, lines: [line], discounts: [], taxes: [], taxRateIds: ['tax_1'], excess: '0.00' },
  };
  const recompute = (more: Partial<RecomputedAmounts>): InvoiceCommandOf<'RecomputeDraft'> => ({
    type: 'RecomputeDraft',
    at: later,
    invoiceId,
    amounts: { lines: [line], discounts: [], taxes: [], total: '20.00', excess: '0.00', ...more },
  });
  const recomputed = (more: Partial<RecomputedAmounts>): InvoiceEvent => ({
    type: 'DraftRecomputed',
    data: { at: later, ...reference, ...recompute(more).amounts },
  });

  it('records the new amounts', () => {
    const more = { lines: [{ ...line, amount: '25.00' }], total: '25.00' };
    given(draft).when(recompute(more)).then(recomputed(more));
  });

  it('records nothing if the amounts are unchanged, even with newer readings', () => {
    given(draft)
      .when(recompute({ lines: [{ ...line, usageWatermark: '9' }] }))
      .then();
    given(draft)
      .when(recompute({ excess: '1.00' }))
      .then(recomputed({ excess: '1.00' }));
    const renamed = { lines: [{ ...line, description: 'Platform' }] };
    given(draft).when(recompute(renamed)).then(recomputed(renamed));
  });

  it('does not change an invoice that is no longer a draft', () => {
    given(draft, opened)
      .when(recompute({ total: '25.00' }))
      .then();
  });

  it('replaces all amounts of the draft', () => {
    const period = { start: at, end: '2026-03-01T00:00:00.000Z' };
    const vat = { taxRateId: 'tax_2', name: 'VAT', percentage: '19', inclusive: false };
    const all: RecomputedAmounts = {
      lines: [{ ...line, amount: '30.00' }],
      total: '35.70',
      excess: '0.00',
      parts: [],
      readings: [],
      lateReadings: [],
      lateCommitments: [],
      discounts: [],
      lookBack: { since: at } as unknown as NonNullable<RecomputedAmounts['lookBack']>,
      commitment: { parts: [], service: period, due: '0.00', counted: '0.00' },
      taxes: [{ ...vat, taxable: '30.00', amount: '5.70' }],
      taxRateIds: ['tax_2'],
    };
    expect(given(draft, recomputed(all)).state()).toMatchObject({ ...all, status: 'draft', createdAt: at });
    // Fields that the draft no longer has are removed.
    const { lines, total } = all;
    const less: InvoiceEvent = { type: 'DraftRecomputed', data: { at: later, ...reference, lines, total } };
    const kept = given(draft, recomputed(all), less).state()!;
    const gone = ['parts', 'readings', 'lateReadings', 'lookBack', 'commitment', 'lateCommitments'];
    for (const name of [...gone, 'discounts', 'taxes', 'taxRateIds', 'excess'])
      expect(kept).not.toHaveProperty(name);
    expect(kept).toMatchObject({ lines, total, customerId: 'cust_1' });
  });
});

describe('opening a draft', () => {
  it('gives it its number, the seller and the due date', () => {
    given(created).when(open).then(opened);
  });

  it('needs the data of the opening', () => {
    expect(() => invoiceDecider.decide({ ...pay, opening: null }, given(created).state())).toThrow(
      'has no opening',
    );
  });

  it('counts the net days from the opening, not from the draft', () => {
    given(created)
      .when({ ...open, at: later })
      .then({
        type: 'InvoiceOpened',
        data: { at: later, ...reference, ...opening, kind: 'cycle', dueDate: '2026-03-05T10:00:00.000Z' },
      });
  });

  it('pays an invoice with total zero at once, without a charge', () => {
    const zero = { ...reference, total: '0.00' };
    given({ type: 'InvoiceCreated', data: { at, ...details, ...zero, lines: [] } })
      .when(open)
      .then(
        {
          type: 'InvoiceOpened',
          data: { at, ...zero, ...opening, kind: 'cycle', dueDate: '2026-03-03T00:00:00.000Z' },
        },
        { type: 'InvoicePaid', data: { at, ...zero, attemptId: null } },
      );
  });

  it('uses the reserved balance, at most the total', () => {
    const withBalance = (balance: string) => ({ ...open, opening: { ...opening, balance } });
    const openedWith = (balanceApplied: string): InvoiceEvent => ({
      ...opened,
      data: { ...opened.data, balanceApplied } as never,
    });
    given(created).when(withBalance('5.00')).then(openedWith('5.00'));
    given(created)
      .when(withBalance('30.00'))
      .then(openedWith('20.00'), { type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
    given(created)
      .when({ ...pay, opening: { ...opening, balance: '5.00' } })
      .then(openedWith('5.00'), { ...started(1), data: { ...started(1).data, amount: '15.00' } as never });
    given(created)
      .when({ ...pay, method: null, opening: { ...opening, balance: '20.00' } })
      .then(openedWith('20.00'), { type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
    given(created, openedWith('5.00'))
      .when(pay)
      .then({ ...started(1), data: { ...started(1).data, amount: '15.00' } as never });
  });

  it('records the excess that is added to the balance', () => {
    const zero = { ...reference, total: '0.00' };
    given({ type: 'InvoiceCreated', data: { at, ...details, ...zero, lines: [], excess: '7.50' } })
      .when(open)
      .then(
        {
          type: 'InvoiceOpened',
          data: {
            at,
            ...zero,
            ...opening,
            kind: 'cycle',
            dueDate: '2026-03-03T00:00:00.000Z',
            balanceCredited: '7.50',
          },
        },
        { type: 'InvoicePaid', data: { at, ...zero, attemptId: null } },
      );
  });

  it('is possible only for drafts', () => {
    given().when(open).refused('invoice_not_found');
    given(created, opened).when(open).refused('invoice_not_draft');
    given(created, { ...voided, data: { ...voided.data, number: null } })
      .when(open)
      .refused('invoice_not_draft');
  });
});

describe('starting a payment', () => {
  it('is recorded before the card is charged', () => {
    given(created, opened).when(pay).then(started(1));
  });

  it('also opens a draft', () => {
    given(created)
      .when({ ...pay, opening })
      .then(opened, started(1));
  });

  it('only opens a draft if its total is zero', () => {
    const zero = { ...reference, total: '0.00' };
    given({ type: 'InvoiceCreated', data: { at, ...details, ...zero, lines: [] } })
      .when({ ...pay, method: null, opening })
      .then(
        {
          type: 'InvoiceOpened',
          data: { at, ...zero, ...opening, kind: 'cycle', dueDate: '2026-03-03T00:00:00.000Z' },
        },
        { type: 'InvoicePaid', data: { at, ...zero, attemptId: null } },
      );
  });

  it('is refused without a card if the draft was recomputed to a higher total meanwhile', () => {
    given(created)
      .when({ ...pay, opening, method: null })
      .refused('concurrent_modification');
  });

  it('is refused if another amount was shown than the one that is due', () => {
    given(created, opened)
      .when({ ...pay, shownAmount: '20.00' })
      .then(started(1));
    for (const shownAmount of ['15.00', '25.00', ''])
      given(created, opened)
        .when({ ...pay, shownAmount })
        .refused('amount_changed');
    given(created)
      .when({ ...pay, opening, shownAmount: '15.00' })
      .refused('amount_changed');
  });

  it('records whether its payment method was chosen for it', () => {
    const event = started(1);
    const chosen: InvoiceEvent = { ...event, data: { ...event.data, chosenMethod: true } };
    given(created, opened)
      .when({ ...pay, chosenMethod: true })
      .then(chosen);
    expect(given(created, opened, chosen).state()?.attempts).toMatchObject([{ chosenMethod: true }]);
    expect(given(created, opened, event).state()?.attempts[0]).not.toHaveProperty('chosenMethod');
  });

  it('is refused while another is under way', () => {
    given(created, opened, started(1))
      .when({ ...pay, attemptId: 'pay_2' })
      .refused('payment_in_progress');
    given(created, opened, started(1), needsAction, confirmed)
      .when({ ...pay, attemptId: 'pay_2' })
      .refused('payment_in_progress');
  });

  it('is refused once the invoice is paid or void', () => {
    given(created, opened, started(1), succeeded, paid)
      .when({ ...pay, attemptId: 'pay_2' })
      .refused('invoice_already_paid');
    given(created, opened, voided).when(pay).refused('invoice_void');
  });

  it('is possible as a new attempt after a decline, or after an action that nobody took', () => {
    given(created, opened, started(1), declined)
      .when({ ...pay, attemptId: 'pay_2' })
      .then(started(2));
    given(created, opened, started(1), needsAction)
      .when({ ...pay, attemptId: 'pay_2' })
      .then(started(2));
  });
});

describe('the attempts to pay an invoice', () => {
  it('record their result, and why they failed or wait', () => {
    const second = (event: InvoiceEvent) =>
      ({ ...event, data: { ...event.data, attemptId: 'pay_2', attempt: 2 } }) as InvoiceEvent;
    const attempts = (...events: InvoiceEvent[]) =>
      given(created, opened, started(1), ...events)
        .state()!
        .attempts.map(({ attemptId, status, code, message, finishedAt }) => [
          attemptId,
          status,
          code,
          message,
          finishedAt,
        ]);
    expect(attempts()).toEqual([['pay_1', 'pending', null, null, null]]);
    expect(attempts(needsAction)).toEqual([
      ['pay_1', 'requires_action', 'authentication_required', 'Please confirm.', null],
    ]);
    expect(attempts(declined, started(2))).toEqual([
      ['pay_1', 'failed', 'card_declined', 'The card was declined.', at],
      ['pay_2', 'pending', null, null, null],
    ]);
    expect(attempts(declined, started(2), second(succeeded))).toEqual([
      ['pay_1', 'failed', 'card_declined', 'The card was declined.', at],
      ['pay_2', 'succeeded', null, null, at],
    ]);
  });

  it('are completed separately', () => {
    given(created, opened, started(1), declined, started(2)).when(complete).then();
    expect(
      given(created, opened, started(1), declined, started(2))
        .when({ ...complete, attemptId: 'pay_2' })
        .events(),
    ).toMatchObject([{ data: { attemptId: 'pay_2', attempt: 2 } }, { type: 'InvoicePaid' }]);
  });
});

describe('writing an invoice off', () => {
  const writeOff = { type: 'MarkUncollectible', at: later, invoiceId } as const;

  it('is possible only for an invoice that is owed', () => {
    given(created).when(writeOff).refused('invoice_not_open');
    given(created, opened, voided).when(writeOff).refused('invoice_not_open');
    given(created, opened, started(1), succeeded, paid).when(writeOff).refused('invoice_not_open');
  });
});

describe('completing a payment', () => {
  it('pays the invoice when the charge succeeded', () => {
    given(created, opened, started(1)).when(complete).then(succeeded, paid);
  });

  it('leaves it open when the charge failed', () => {
    const outcome = { status: 'failed', code: 'card_declined', message: 'The card was declined.' } as const;
    given(created, opened, started(1))
      .when({ ...complete, outcome })
      .then(declined);
    expect(given(created, opened, started(1), declined).state()?.status).toBe('open');
  });

  it('notes that the customer must act', () => {
    const outcome = { status: 'requires_action', message: 'Please confirm.' } as const;
    given(created, opened, started(1))
      .when({ ...complete, outcome })
      .then(needsAction);
  });

  it('records only the first outcome', () => {
    given(created, opened, started(1), succeeded, paid).when(complete).then();
    given(created, opened, started(1), declined).when(complete).then();
  });

  it('ignores an attempt that was never started', () => {
    given(created, opened).when(complete).then();
  });
});

describe('confirming a payment', () => {
  it('records the confirmation, and blocks a write-off until the outcome is known', () => {
    const writeOff = { type: 'MarkUncollectible', at: later, invoiceId } as const;
    given(created, opened, started(1)).when(writeOff).refused('payment_in_progress');
    given(created, opened, started(1), needsAction, confirmed).when(writeOff).refused('payment_in_progress');
    given(created, opened, started(1), declined)
      .when(writeOff)
      .then({ type: 'InvoiceMarkedUncollectible', data: { ...reference, at: later, amount: '20.00' } });
    const attempts = (...history: InvoiceEvent[]) => given(created, opened, ...history).state()!.attempts;
    expect(attempts(started(1), needsAction)).toMatchObject([
      { status: 'requires_action', confirmed: false },
    ]);
    expect(attempts(started(1), needsAction, confirmed)).toMatchObject([
      { status: 'pending', confirmed: true, code: null, message: null },
    ]);
  });

  it('continues the attempt that waits for the customer', () => {
    given(created, opened, started(1), needsAction).when(confirm).then(confirmed);
    given(created, opened, started(1), needsAction, confirmed).when(complete).then(succeeded, paid);
  });

  it('needs a waiting attempt that is the newest', () => {
    given(created, opened).when(confirm).refused('no_action_required');
    given(created, opened, started(1), needsAction, confirmed).when(confirm).refused('payment_in_progress');
    given(created, opened, started(1), needsAction, started(2)).when(confirm).refused('payment_in_progress');
    given(created, opened, started(1), needsAction, voided).when(confirm).refused('invoice_void');
  });
});

describe('confirming a payment after a credit note', () => {
  it('is refused, because the attempt exceeds the amount due, but a new attempt is possible', () => {
    const credit = { reason: 'other', memo: null, credit: { amount: '8.00' }, target: null } as const;
    const before = [created, opened, started(1), needsAction];
    const credited = invoiceDecider.decide(
      { type: 'IssueCreditNote', at, invoiceId, creditNoteId: 'cn_1', ...credit },
      given(...before).state(),
    );
    given(...before, ...credited)
      .when(confirm)
      .refused('no_action_required');
    given(...before, ...credited)
      .when({ ...pay, attemptId: 'pay_2' })
      .then({
        type: 'PaymentStarted',
        data: { at, ...reference, attemptId: 'pay_2', attempt: 2, amount: '12.00', method },
      });
  });
});

describe('voiding an invoice', () => {
  it('is possible for a draft and for an open one', () => {
    given(created)
      .when(voidIt)
      .then({ type: 'InvoiceVoided', data: { at, ...reference, number: null, reason: 'duplicate' } });
    given(created, opened).when(voidIt).then(voided);
    given(created, opened, started(1), declined).when(voidIt).then(voided);
  });

  it('is refused while a charge is under way, which may succeed', () => {
    given(created, opened, started(1)).when(voidIt).refused('payment_in_progress');
  });

  it('is refused for what is paid or void', () => {
    given(created, opened, started(1), succeeded, paid).when(voidIt).refused('invoice_already_paid');
    given(created, opened, voided).when(voidIt).refused('invoice_void');
  });
});

describe('paying what was written off', () => {
  const writtenOff: InvoiceEvent = {
    type: 'InvoiceMarkedUncollectible',
    data: { at, ...reference, amount: '20.00' },
  };

  it('is marked in the payment, also at the first attempt, so that subscribers learn of it', () => {
    given(created, opened, writtenOff, started(1))
      .when(complete)
      .then({ ...succeeded, data: { ...succeeded.data, writtenOff: true } as never }, paid);
  });

  it('is marked in a payment that fails or waits, because webhooks report the status', () => {
    const outcomes: [InvoiceEvent, ChargeOutcome][] = [
      [declined, { status: 'failed', code: 'card_declined', message: 'The card was declined.' }],
      [needsAction, { status: 'requires_action', message: 'Please confirm.' }],
    ];
    for (const [event, outcome] of outcomes)
      given(created, opened, writtenOff, started(1))
        .when({ ...complete, outcome })
        .then({ ...event, data: { ...event.data, writtenOff: true } as never });
  });
});

const open = { type: 'OpenInvoice', at, invoiceId, opening } as const;
const pay = { type: 'StartPayment', at, invoiceId, attemptId: 'pay_1', method, opening: null } as const;
const confirm = { type: 'ConfirmPayment', at, invoiceId } as const;
const complete = {
  type: 'CompletePayment',
  retryRules: null,
  at,
  invoiceId,
  attemptId: 'pay_1',
  outcome: { status: 'succeeded' },
} as const;
const voidIt = { type: 'VoidInvoice', at, invoiceId, reason: 'duplicate' } as const;
