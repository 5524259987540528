import { describe, expect, it, jest } from '@jest/globals';
import { beforeCommand } from '../support/before-command.js';
import {
  advanceClock,
  createPlan,
  fee,
  Gate,
  itOfNode,
  ledgerBalances,
  settle,
  subscribe,
  workspacePerTest,
} from '../support/index.js';
import { createPool } from '../support/database.js';
import { customerWithCard, untilEvent } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';

/*
 * A credit note that was issued by mistake is voided: on an open invoice, and on a customer's balance. Voiding is refused
 * where what the note gave is used up or paid out. The last tests verify the whole log.
 */

const { system, workspace, http, get, post, create } = workspacePerTest();

describe('voiding a credit note on an open invoice', () => {
  it('makes what it took off due again, line by line, and keeps the note with its number', async () => {
    const invoiceId = await invoiced(await customerWithCard(workspace, null));
    const note = await credit(invoiceId, { amount: 15 });
    expect(note).toMatchObject({ status: 'issued', voidedAt: null, voidReason: null });
    const reason = 'Wrong invoice';
    const voided = await post(voidPath(invoiceId, note), { reason });
    expect(voided).toEqual({ ...note, status: 'void', voidedAt: expect.any(String), voidReason: reason });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({
      status: 'open',
      total: 20,
      amountDue: 20,
      amountCredited: 0,
    });
    expect(await get(`/v1/invoices/${invoiceId}/credit-notes`)).toEqual({ data: [voided], hasMore: false });
    expect(await get(`/v1/invoices/${invoiceId}/credit-notes/${note.id}`)).toEqual(voided);
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 20, revenue: -20 });
    expect((await post(voidPath(invoiceId, note), {}, 409)).code).toBe('credit_note_void');
    // All of it can be credited again, under the next number.
    expect(await credit(invoiceId)).toMatchObject({ number: 'CN-000002', total: 20 });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'paid', amountDue: 0 });
    const pdf = await http.get(`/v1/invoices/${invoiceId}/credit-notes/${note.id}/pdf`).expect(200);
    expect(pdf.headers['content-type']).toBe('application/pdf');
  });

  it('is one effect for one Idempotency-Key, and is for roles that may write invoices', async () => {
    const invoiceId = await invoiced(await customerWithCard(workspace, null));
    const note = await credit(invoiceId, { amount: 5 });
    const { body: key } = await workspace.session
      .post('/v1/api-keys', { name: 'eyes', role: 'viewer' })
      .expect(201);
    await http
      .post(voidPath(invoiceId, note))
      .set('x-api-key', key.key as string)
      .expect(403);
    const send = () => http.post(voidPath(invoiceId, note)).set('idempotency-key', 'void-once');
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    await post(`/v1/invoices/${invoiceId}/credit-notes/cn_none/void`, {}, 404);
    await post(voidPath(invoiceId, note), { memo: 'No such field' }, 400);
  });

  it('lets its invoice be voided then', async () => {
    const invoiceId = await invoiced(await customerWithCard(workspace, null));
    const note = await credit(invoiceId, { amount: 5 });
    expect((await post(`/v1/invoices/${invoiceId}/void`, {}, 409)).code).toBe('invoice_credited');
    await post(voidPath(invoiceId, note));
    await post(`/v1/invoices/${invoiceId}/void`);
    expect(await ledgerBalances(workspace)).toEqual({});
    expect((await post(voidPath(invoiceId, note), {}, 409)).code).toBe('credit_note_void');
  });

  it('is refused where the note settled the invoice, or is refunded, and says what to do', async () => {
    const unpaid = await invoiced(await customerWithCard(workspace, null));
    const settling = await credit(unpaid);
    expect(await post(voidPath(unpaid, settling), {}, 400)).toMatchObject({
      code: 'invoice_already_paid',
      error: expect.stringContaining('POST /v1/invoices'),
    });
    const paid = await invoiced(await customerWithCard(workspace));
    const refunded = await credit(paid, { amount: 5 });
    expect(await post(voidPath(paid, refunded), {}, 409)).toMatchObject({
      code: 'credit_note_refunded',
      error: expect.stringContaining('POST /v1/invoices'),
    });
    expect(await get(`/v1/invoices/${paid}/credit-notes/${refunded.id}`)).toMatchObject({ status: 'issued' });
  });

  it('of a prepaid fee gives all that is unused back when the subscription ends', async () => {
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'north' });
    await advanceClock(workspace, '2026-01-11T00:00:00.000Z');
    const { data } = await get('/v1/invoices?customer_id=north');
    const [{ id }] = data;
    await create('/v1/customers/north/payment-methods', { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${id}/pay`);
    const note = await credit(id, { amount: 20, to: 'balance' });
    await post(voidPath(id, note));
    await post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    await advanceClock(workspace, '2026-01-12T00:00:00.000Z');
    // 21 of 31 days.
    expect(await balanceOf('north')).toBe(21);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 31, customer_credit: -21, revenue: -10 });
  });
});

describe('voiding a credit note to the balance', () => {
  it('takes its amount out of the balance again', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    expect(await balanceOf(customerId)).toBe(20);
    expect(await post(voidPath(invoiceId, note))).toMatchObject({ status: 'void' });
    expect(await balanceOf(customerId)).toBe(0);
    const { data } = await get(`/v1/customers/${customerId}/balance-transactions`);
    expect(data).toMatchObject([
      { type: 'debited', amount: -20, balance: 0, creditNoteId: note.id, invoiceId: null },
      { type: 'credited', amount: 20, balance: 20, creditNoteId: note.id },
    ]);
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'paid', amountPaid: 20 });
    expect(await ledgerBalances(workspace)).toEqual({ cash: 20, revenue: -20 });
    await settle(workspace);
    expect(await balanceOf(customerId)).toBe(0);
    // What was paid can be given back in another way.
    expect(await credit(invoiceId)).toMatchObject({ refundAmount: 20, balanceAmount: 0 });
  });

  it('comes to its end where whoever began it dies between the balance and the invoice', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    beforeCommand(system.api, 'VoidCreditNote', () => Promise.reject(new Error('The process dies here')));
    const send = () =>
      http.post(voidPath(invoiceId, note), { reason: 'Mistake' }).set('idempotency-key', 'dies');
    expect((await send()).status).toBe(500);
    await settle(workspace);
    expect(await get(`/v1/invoices/${invoiceId}/credit-notes/${note.id}`)).toMatchObject({
      status: 'void',
      voidReason: 'Mistake',
    });
    expect(await balanceOf(customerId)).toBe(0);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 20, revenue: -20 });
    jest.restoreAllMocks();
    const again = await send();
    expect([again.status, again.body]).toMatchObject([200, { status: 'void', voidReason: 'Mistake' }]);
    expect((await post(voidPath(invoiceId, note), {}, 409)).code).toBe('credit_note_void');
    expect(await balanceOf(customerId)).toBe(0);
  });

  it('is answered as done where the saga was faster', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    beforeCommand(system.api, 'VoidCreditNote', () =>
      untilEvent(system, workspace.workspaceId, invoiceId, 'CreditNoteVoided'),
    );
    expect(await post(voidPath(invoiceId, note))).toMatchObject({ status: 'void' });
    expect(await balanceOf(customerId)).toBe(0);
  });

  it('happens once, though two ask for it at one moment', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    const gate = new Gate(2);
    beforeCommand(system.api, 'DebitBalance', () => gate.pass());
    const answers = await Promise.all(
      [1, 2].map(() => http.post(voidPath(invoiceId, note)).then((it) => it)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('credit_note_void');
    await settle(workspace);
    expect(await balanceOf(customerId)).toBe(0);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 20, revenue: -20 });
  });

  it('is refused once the balance has paid for an invoice, also one that overtakes it', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    const next = await draftedInvoice(customerId);
    // Held where it is about to take from the balance.
    beforeCommand(system.api, 'DebitBalance', async () => {
      await post(`/v1/invoices/${next}/pay`);
    });
    const refusal = {
      code: 'balance_used',
      error: expect.stringContaining('POST /v1/invoices'),
    };
    expect(await post(voidPath(invoiceId, note), {}, 409)).toMatchObject(refusal);
    jest.restoreAllMocks();
    expect(await post(voidPath(invoiceId, note), {}, 409)).toMatchObject(refusal);
    expect(await get(`/v1/invoices/${next}`)).toMatchObject({ status: 'paid', balanceApplied: 20 });
    expect(await get(`/v1/invoices/${invoiceId}/credit-notes/${note.id}`)).toMatchObject({
      status: 'issued',
    });
    await settle(workspace);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 20, revenue: -40, refunds: 20 });
  });

  it('leaves nothing of the balance to a payment that comes second', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    const next = await draftedInvoice(customerId);
    beforeCommand(system.api, 'ApplyBalance', async () => {
      await post(voidPath(invoiceId, note));
    });
    expect(await post(`/v1/invoices/${next}/pay`)).toMatchObject({
      status: 'paid',
      balanceApplied: 0,
      amountPaid: 20,
    });
    expect(await balanceOf(customerId)).toBe(0);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 40, revenue: -40 });
  });

  it('and a payment that come at one moment share nothing: one of them has the balance', async () => {
    const { customerId, invoiceId, note } = await creditedToBalance();
    const next = await draftedInvoice(customerId);
    const gate = new Gate(2);
    beforeCommand(system.api, ['DebitBalance', 'ApplyBalance'], () => gate.pass());
    const [voided, paid] = await Promise.all([
      http.post(voidPath(invoiceId, note)).then((it) => it),
      http.post(`/v1/invoices/${next}/pay`).then((it) => it),
    ]);
    await settle(workspace);
    expect(await balanceOf(customerId)).toBe(0);
    const isVoid = voided.status === 200;
    expect([voided.status, paid.status, paid.body.balanceApplied]).toEqual(
      isVoid ? [200, 200, 0] : [409, 200, 20],
    );
    expect(await get(`/v1/invoices/${invoiceId}/credit-notes/${note.id}`)).toMatchObject({
      status: isVoid ? 'void' : 'issued',
    });
    expect(await ledgerBalances(workspace)).toEqual(
      isVoid ? { cash: 40, revenue: -40 } : { cash: 20, revenue: -40, refunds: 20 },
    );
  });
});

describe('all that was voided here', () => {
  it('is verified', async () => {
    const { found, invoiceCount: invoices } = await verificationOf(system);
    expect(found).toEqual([]);
    expect(invoices).toBeGreaterThan(0);
  });

  itOfNode('is held against what the balances say', async () => {
    const pool = createPool(system.database, 1);
    for (const type of ['BalanceCredited', 'BalanceDebited'])
      await pool.query(
        `UPDATE eventstore.events SET data = convert_to(replace(convert_from(data, 'UTF8'), '"amount":"20.00"', '"amount":"19.00"'), 'UTF8')
         WHERE type = $1`,
        [type],
      );
    await pool.end();
    const { found, invoiceCount: invoices } = await verificationOf(system);
    expect(invoices).toBeGreaterThan(0);
    expect(found).toContainEqual(
      expect.stringMatching(
        /: credit note cn_\w+ adds "20.00" to the balance, but the balance got "19.00" for it$/,
      ),
    );
    expect(found).toContainEqual(
      expect.stringMatching(
        /: credit note cn_\w+ is void and had added "20.00" to the balance, but "19.00" was taken out again$/,
      ),
    );
  });
});

/** Creates an invoice over 20.00, which is opened. */
async function invoiced(customerId: string): Promise<string> {
  return createInvoice(customerId, { draft: false });
}

/** Creates an invoice over 20.00, which stays a draft. */
async function draftedInvoice(customerId: string): Promise<string> {
  return createInvoice(customerId, { draft: true });
}

async function createInvoice(customerId: string, more: { draft: boolean }): Promise<string> {
  const lines = [{ description: 'Setup', unitPrice: 20 }];
  const { id } = await create('/v1/invoices', { customerId, lines, ...more });
  await settle(workspace);
  return id;
}

function credit(invoiceId: string, body: object = {}) {
  return create(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'billing_error', ...body });
}

function voidPath(invoiceId: string, note: { id: string }): string {
  return `/v1/invoices/${invoiceId}/credit-notes/${note.id}/void`;
}

/** A customer who paid an invoice over 20.00 by card. A credit note put all of it on the customer's balance. */
async function creditedToBalance() {
  const customerId = await customerWithCard(workspace);
  const invoiceId = await invoiced(customerId);
  return { customerId, invoiceId, note: await credit(invoiceId, { to: 'balance' }) };
}

async function balanceOf(customerId: string): Promise<unknown> {
  return (await get(`/v1/customers/${customerId}/balances`)).data[0]?.balance;
}
