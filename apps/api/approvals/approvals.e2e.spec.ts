import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StreamReader } from '#libs/kernel/event-store';
import { beforeCommand } from '../../../test/support/before-command.js';
import {
  advanceClock,
  clientOf,
  createPlan,
  fee,
  Gate,
  settle,
  subscribe,
  workspacePerTest,
  type Client,
} from '../../../test/support/index.js';
import { untilErased } from '../../../test/support/erasure.js';
import { Receiver } from '../../../test/support/receiver.js';
import { addUser } from '../../../test/support/second-user.js';

const { system, workspace, http, get, post, put, create } = workspacePerTest();

const JAN_1 = '2026-01-01T00:00:00.000Z';
const JAN_9 = '2026-01-09T00:00:00.000Z';

/** Another user of the workspace, with the role finance. */
let second: Client;
let customerId: string;
let receiver: Receiver | undefined;

beforeEach(async () => {
  [{ session: second }, { id: customerId }] = await Promise.all([
    addUser(system, workspace, 'finance'),
    create('/v1/customers', { name: 'Northwind Ltd' }),
  ]);
});

afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
});

const enable = (action: string, policy: object = {}) =>
  put(`/v1/approvals/policies/${action}`, { enabled: true, ...policy });
const invoice = async (unitPrice: number, currency = 'USD'): Promise<string> =>
  (await create('/v1/invoices', { customerId, currency, lines: [{ description: 'Work', unitPrice }] })).id;
/** Waits until the saga has opened the invoices. The clock stays where it is. */
const opened = () => advanceClock(workspace, JAN_1);
const hold = (path: string, body: object = {}) => post(path, body, 202);
const approve = async (id: string, status = 200) =>
  (await second.post(`/v1/approvals/${id}/approve`, {}).expect(status)).body;
const request = (id: string) => get(`/v1/approvals/${id}`);
const eventsOf = async (id: string): Promise<string[]> =>
  (await workspace.session.get(`/v1/audit?resourceId=${id}&limit=100`).expect(200)).body.data.map(
    ({ action }: { action: string }) => action,
  );

describe('policies', () => {
  it('say for each action when it needs approval, and are changed by admins', async () => {
    const { data } = await get('/v1/approvals/policies');
    const unset = { enabled: false, thresholdAmount: null, thresholdCurrency: null, expiresInDays: 7 };
    expect(data).toMatchObject([
      { action: 'credit.grant', label: 'Grant credits', hasAmount: true, ...unset },
      { action: 'invoice.void', hasAmount: true, ...unset },
      { action: 'invoice.credit_note', hasAmount: true, ...unset },
      { action: 'subscription.cancel', hasAmount: false, ...unset },
      { action: 'subscription.pause', hasAmount: false, ...unset },
      { action: 'balance.adjust', hasAmount: true, ...unset },
      { action: 'payment.record', hasAmount: true, ...unset },
      { action: 'invoice.mark_uncollectible', hasAmount: true, ...unset },
      { action: 'price.lower', hasAmount: false, ...unset },
    ]);
    const policy = { thresholdAmount: 500.5, thresholdCurrency: 'USD', expiresInDays: 3 };
    const changed = await enable('invoice.void', policy);
    expect(changed).toMatchObject({ action: 'invoice.void', enabled: true, ...policy });
    expect((await get('/v1/approvals/policies')).data[1]).toEqual(changed);
    await second.put('/v1/approvals/policies/invoice.void', { enabled: false }).expect(403);
    expect(await put('/v1/approvals/policies/invoice.pay', { enabled: true }, 404)).toMatchObject({
      code: 'approval_policy_not_found',
      error: expect.stringContaining('invoice.void'),
    });
    const refused = async (action: string, body: object, ...fields: string[]) =>
      expect(await put(`/v1/approvals/policies/${action}`, { enabled: true, ...body }, 400)).toMatchObject({
        details: fields.map((field) => ({ field })),
      });
    await refused('invoice.credit_note', { thresholdAmount: 1 }, 'thresholdAmount', 'thresholdCurrency');
    await refused('subscription.cancel', { thresholdAmount: 1, thresholdCurrency: 'USD' }, 'thresholdAmount');
    expect(await eventsOf('invoice.void')).toEqual(['approval_policy.changed']);
  });

  it('have the time of their last change, also after a request that changes nothing', async () => {
    const [, before] = (await get('/v1/approvals/policies')).data;
    expect(await put('/v1/approvals/policies/invoice.void', { enabled: false })).toEqual(before);
  });

  it('cannot be enabled where nobody else could approve', async () => {
    const lonely = await system.workspace();
    await addUser(system, lonely, 'developer');
    for (const client of [lonely.session, lonely.http]) {
      const { body } = await client.put('/v1/approvals/policies/invoice.void', { enabled: true }).expect(409);
      expect(body).toMatchObject({
        code: 'no_other_approver',
        error: expect.stringMatching(/add a second user/),
      });
    }
    await lonely.http.put('/v1/approvals/policies/invoice.void', { enabled: false }).expect(200);
  });
});

describe('a void', () => {
  it('above the threshold waits for a second person, and is then done', async () => {
    await enable('invoice.void', { thresholdAmount: 100, thresholdCurrency: 'USD' });
    receiver = await Receiver.start();
    await workspace.session
      .post('/v1/webhooks', { url: receiver.url, events: ['approval.requested', 'approval.executed'] })
      .expect(201);
    const [small, large, euros] = [await invoice(99), await invoice(100), await invoice(1, 'EUR')];
    await opened();
    await post(`/v1/invoices/${small}/void`);
    await hold(`/v1/invoices/${euros}/void`);
    // Nothing impossible is held.
    expect(await post(`/v1/invoices/${small}/void`, {}, 400)).toMatchObject({ code: 'invoice_void' });
    await post('/v1/invoices/inv_none/void', {}, 404);

    const held = await hold(`/v1/invoices/${large}/void`, { reason: 'Duplicate' });
    expect(held).toMatchObject({
      action: 'invoice.void',
      status: 'pending',
      customerId,
      amount: 100,
      currency: 'USD',
      resource: { type: 'invoice', id: large },
      reason: 'Duplicate',
      lines: [{ description: 'Work', amount: 100 }],
      changes: [
        { field: 'status', before: 'open', after: 'void' },
        { field: 'amountDue', before: 100, after: 0 },
      ],
      requestedBy: { type: 'api_key' },
      expiresAt: '2026-01-08T00:00:00.000Z',
      decidedBy: null,
    });
    expect(await get(`/v1/invoices/${large}`)).toMatchObject({ status: 'open' });
    const stream = `approvalRequest-${workspace.workspaceId}.${held.id}`;
    const [stored] = await system.api.get(StreamReader).read(stream);
    expect(JSON.stringify(stored!.storedData)).not.toContain('Duplicate');
    expect((await get('/v1/approvals?status=pending')).data).toHaveLength(2);
    expect((await get('/v1/approvals')).data[0]).toEqual(held);

    // The API key was created by the user of the session.
    for (const own of [workspace.http, workspace.session])
      expect((await own.post(`/v1/approvals/${held.id}/approve`, {}).expect(403)).body).toMatchObject({
        code: 'own_request',
      });
    const { body } = await second.post(`/v1/approvals/${held.id}/approve`, { note: 'Yes' }).expect(200);
    expect(body).toMatchObject({ status: 'approved', note: 'Yes', decidedBy: { type: 'user' } });
    await settle(workspace);
    expect(await request(held.id)).toMatchObject({
      status: 'executed',
      result: { type: 'invoice', id: large },
      failure: null,
    });
    expect(await get(`/v1/invoices/${large}`)).toMatchObject({ status: 'void', voidReason: 'Duplicate' });
    const last = (await system.api.get(StreamReader).read(`invoice-${workspace.workspaceId}.${large}`)).at(
      -1,
    )!;
    expect(last).toMatchObject({
      type: 'InvoiceVoided',
      metadata: {
        actor: { type: 'api_key', approval: { requestId: held.id, approvedBy: { type: 'user' } } },
      },
    });
    expect(await eventsOf(held.id)).toEqual(['approval.executed', 'approval.approved', 'approval.requested']);
    await receiver.arrived(3);
    const messages = receiver.received.map(({ body }) => JSON.parse(body));
    const about = (event: string) => messages.filter((one) => one.event === event).map(({ data }) => data);
    expect(about('approval.requested')).toHaveLength(2);
    expect(about('approval.requested')).toContainEqual(held);
    expect(about('approval.executed')).toEqual([await request(held.id)]);
  });

  it('is held once for each key, and answered with its request again', async () => {
    await enable('invoice.void');
    const id = await invoice(10);
    const send = (reason: string) =>
      http.post(`/v1/invoices/${id}/void`, { reason }).set('Idempotency-Key', 'void-1');
    const { body: first } = await send('Twice').expect(202);
    const again = await send('Twice').expect(202);
    expect(again.body).toEqual(first);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    await send('Other').expect(409);
    expect((await get('/v1/approvals')).data).toEqual([first]);
  });

  it('is not done if it is rejected, or if nobody decides in time', async () => {
    await enable('invoice.void');
    const [one, two] = [await invoice(10), await invoice(20)];
    const [rejected, expired] = [
      await hold(`/v1/invoices/${one}/void`),
      await hold(`/v1/invoices/${two}/void`),
    ];
    // Everybody may withdraw their own request.
    expect(await post(`/v1/approvals/${rejected.id}/reject`, { note: 'x'.repeat(1_000) })).toMatchObject({
      status: 'rejected',
    });
    await post(`/v1/approvals/${expired.id}/reject`, { note: 'x'.repeat(1_001) }, 400);
    await advanceClock(workspace, JAN_9);
    expect(await request(expired.id)).toMatchObject({ status: 'expired', decidedBy: null });
    for (const { id } of [rejected, expired])
      expect(await approve(id, 409)).toMatchObject({ code: 'approval_decided' });
    for (const id of [one, two]) expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'open' });
    expect(await eventsOf(expired.id)).toEqual(['approval.expired', 'approval.requested']);
  });

  it('fails with its reason if the invoice was paid meanwhile', async () => {
    await enable('invoice.void');
    await put('/v1/billing-settings', { autoCollect: false });
    const [id, paidBefore] = [await invoice(10), await invoice(20)];
    const held = await hold(`/v1/invoices/${id}/void`);
    const late = await hold(`/v1/invoices/${paidBefore}/void`);
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${paidBefore}/pay`);
    await approve(late.id);
    await settle(workspace);
    expect(await request(late.id)).toMatchObject({
      status: 'failed',
      failure: { code: 'invoice_already_paid' },
      result: null,
    });
    // The payment and the void are about to be decided: one wins.
    const both = new Gate(2);
    beforeCommand(system.api, 'StartPayment', () => both.pass());
    beforeCommand(system.saga, 'VoidInvoice', () => both.pass());
    const [paid] = await Promise.all([http.post(`/v1/invoices/${id}/pay`), approve(held.id)]);
    await settle(workspace);
    const { status, failure } = await request(held.id);
    const isVoid = (await get(`/v1/invoices/${id}`)).status === 'void';
    expect([status, paid.status]).toEqual(isVoid ? ['executed', 400] : ['failed', 200]);
    if (!isVoid) expect(failure.code).toMatch(/^(invoice_already_paid|payment_in_progress)$/);
  });

  it('is done once, wherever the process dies', async () => {
    await enable('invoice.void');
    const ids = [await invoice(10), await invoice(20), await invoice(30)];
    const held = [];
    for (const id of ids) held.push(await hold(`/v1/invoices/${id}/void`));
    const steps = ['StartApprovedAction', 'VoidInvoice', 'CompleteApprovedAction'];
    const dead = new Set<string>();
    beforeCommand(system.saga, steps, async (step) => {
      if (dead.has(step)) return;
      dead.add(step);
      throw new Error('the process died here');
    });
    await Promise.all(held.map(({ id }) => approve(id)));
    await settle(workspace);
    expect([...dead].toSorted()).toEqual(steps.toSorted());
    for (const { id } of held) expect(await request(id)).toMatchObject({ status: 'executed' });
    for (const id of ids)
      expect((await eventsOf(id)).filter((action) => action === 'invoice.voided')).toHaveLength(1);
  });
});

describe('API keys and approvals', () => {
  const held = async (): Promise<string> => (await hold(`/v1/invoices/${await invoice(10)}/void`)).id;
  const keyOf = async (by: Client, name: string): Promise<Client> => {
    const { body } = await by.post('/v1/api-keys', { name, role: 'admin' }).expect(201);
    return clientOf(system.url, { 'x-api-key': body.key as string });
  };
  const codeOf = async (by: Client, id: string): Promise<string | undefined> =>
    (await by.post(`/v1/approvals/${id}/approve`, {})).body.code as string | undefined;

  it('know who asked, also at the end of a long chain of keys', async () => {
    await enable('invoice.void');
    let key = workspace.http;
    for (let i = 0; i < 25; i++) key = await keyOf(key, `key ${i}`);
    const id = (await key.post(`/v1/invoices/${await invoice(10)}/void`, {}).expect(202)).body.id as string;
    expect(await codeOf(workspace.session, id)).toBe('own_request');
    expect((await request(id)).status).toBe('pending');
    await approve(id);
  });

  it('count only while the user who created the key may approve', async () => {
    await enable('invoice.void');
    const other = await addUser(system, workspace, 'admin');
    const key = await keyOf(other.session, 'of another admin');
    expect(await codeOf(key, await held())).toBeUndefined();
    const id = await held();
    for (const change of [{ role: 'viewer' }, { role: 'admin', status: 'deactivated' }]) {
      await workspace.session.patch(`/v1/users/${other.userId}`, change).expect(200);
      expect(await codeOf(key, id)).toBe('approver_not_allowed');
    }
    expect((await request(id)).status).toBe('pending');
  });
});

describe('two decisions at once', () => {
  it.each([
    ['approve', 'reject'],
    ['approve', 'approve'],
  ] as const)('%s and %s: one wins', async (one, other) => {
    await enable('invoice.void');
    const id = await invoice(10);
    const held = await hold(`/v1/invoices/${id}/void`);
    const both = new Gate(2);
    beforeCommand(system.api, ['ApproveRequest', 'RejectRequest'], () => both.pass());
    const answers = await Promise.all(
      [one, other].map((decision) => second.post(`/v1/approvals/${held.id}/${decision}`, {}).then((a) => a)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { status: decided } = answers.find(({ status }) => status === 200)!.body;
    await settle(workspace);
    expect((await request(held.id)).status).toBe(decided === 'approved' ? 'executed' : 'rejected');
    expect((await get(`/v1/invoices/${id}`)).status).toBe(decided === 'approved' ? 'void' : 'open');
    expect((await eventsOf(id)).filter((action) => action === 'invoice.voided')).toHaveLength(
      decided === 'approved' ? 1 : 0,
    );
  });
});

describe('a rejected action', () => {
  it('is not executed by a repetition after its policy was disabled', async () => {
    await create('/v1/credit-types', { type: 'api', name: 'API', unitPrice: 0.5, currency: 'USD' });
    const wallet = `/v1/customers/${customerId}/wallets/api`;
    const grant = { amount: 100, idempotencyKey: 'g-1' };
    await enable('credit.grant');
    const { id } = await hold(`${wallet}/grants`, grant);
    await second.post(`/v1/approvals/${id}/reject`, {}).expect(200);
    await put('/v1/approvals/policies/credit.grant', { enabled: false });
    expect(await hold(`${wallet}/grants`, grant)).toMatchObject({ id, status: 'rejected' });
    await create(`${wallet}/grants`, { ...grant, idempotencyKey: 'g-2' });
    expect(await get(wallet)).toMatchObject({ balance: 100 });
  });
});

describe('the other actions', () => {
  it('wait in the same way: a credit note, a grant and a cancellation', async () => {
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'south' });
    await create('/v1/credit-types', { type: 'api', name: 'API', unitPrice: 0.5, currency: 'USD' });
    await create('/v1/credit-types', { type: 'gift', name: 'Gifts', unitPrice: 0, currency: 'USD' });
    const invoiceId = await invoice(80);
    await opened();
    await enable('invoice.credit_note', { thresholdAmount: 50, thresholdCurrency: 'USD' });
    await enable('credit.grant', { thresholdAmount: 50, thresholdCurrency: 'USD' });
    await enable('subscription.cancel');

    await create(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'other', amount: 10 });
    const note = await hold(`/v1/invoices/${invoiceId}/credit-note`, {
      reason: 'other',
      amount: 60,
      memo: 'Late',
    });
    expect(note).toMatchObject({
      action: 'invoice.credit_note',
      amount: 60,
      reason: 'Late',
      lines: [{ description: 'Work', amount: 60 }],
    });
    const rest = await hold(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'other' });
    expect(rest).toMatchObject({ amount: 70 });
    const wallet = `/v1/customers/${customerId}/wallets/api`;
    await create(`${wallet}/grants`, { amount: 99, costBasis: 0 });
    const grant = { amount: 100, costBasis: 0, idempotencyKey: 'g-1', description: 'Sorry' };
    const held = await hold(`${wallet}/grants`, grant);
    expect(held).toMatchObject({
      action: 'credit.grant',
      amount: 50,
      currency: 'USD',
      reason: 'Sorry',
      changes: [{ field: 'balance', before: 99, after: 199 }],
    });
    expect(await hold(`${wallet}/grants`, grant)).toEqual(held);
    // Credits without a price have no amount, which no threshold lets pass.
    const gift = await hold(`/v1/customers/${customerId}/wallets/gift/grants`, { amount: 1 });
    expect(gift).toMatchObject({ amount: null, currency: null });
    const cancel = await hold(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    expect(cancel).toMatchObject({
      action: 'subscription.cancel',
      amount: null,
      currency: 'USD',
      lines: [{ amount: -31 }],
      changes: [{ field: 'status', before: 'active', after: 'canceled' }, { field: 'cancelAt' }],
    });
    for (const { id } of [note, held, gift, cancel]) await approve(id);
    await settle(workspace);
    for (const { id } of [note, held, gift, cancel])
      expect(await request(id)).toMatchObject({ status: 'executed', failure: null });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ amountCredited: 70 });
    // The rest of the invoice is less than what was shown to those who approve.
    expect(await approve(rest.id, 409)).toMatchObject({ code: 'approval_outdated' });
    expect(await request(rest.id)).toMatchObject({ status: 'pending' });
    expect(await get(wallet)).toMatchObject({ balance: 199 });
    expect((await hold(`${wallet}/grants`, grant)).result).toMatchObject({ type: 'credit_block' });
    expect(await get(`/v1/subscriptions/${subscriptionId}`)).toMatchObject({ status: 'canceled' });
  });

  it('cannot be had by voiding a block of credits instead, while automatic work needs no approval', async () => {
    await create('/v1/credit-types', { type: 'api', name: 'API', unitPrice: 1, currency: 'USD' });
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await enable('invoice.void');
    await enable('invoice.credit_note');
    const wallet = `/v1/customers/${customerId}/wallets/api`;
    const unpaid = { credits: 5, collection: 'send_invoice', expiresAt: '2026-01-05T00:00:00Z' };
    const bought = await create(`${wallet}/purchases`, { credits: 30 });
    const [open, expiring] = [
      await create(`${wallet}/purchases`, unpaid),
      await create(`${wallet}/purchases`, unpaid),
    ];
    const back = await hold(`${wallet}/blocks/${bought.id}/void`, { creditNote: true });
    expect(back).toMatchObject({ action: 'invoice.credit_note', amount: 30 });
    const ended = await hold(`${wallet}/blocks/${open.id}/void`);
    expect(ended).toMatchObject({ action: 'invoice.void', amount: 5 });
    expect(await get(wallet)).toMatchObject({ balance: 30 });
    for (const { id } of [back, ended]) await approve(id);
    await settle(workspace);
    for (const { id } of [back, ended]) expect(await request(id)).toMatchObject({ status: 'executed' });
    expect(await get(wallet)).toMatchObject({ balance: 0 });
    expect(await get(`/v1/invoices/${bought.invoice.id}`)).toMatchObject({ amountCredited: 30 });
    // The invoice of credits that expire unpaid is void, although nobody approved that.
    await advanceClock(workspace, JAN_9);
    expect(await get(`/v1/invoices/${expiring.invoice.id}`)).toMatchObject({ status: 'void' });
  });
});

describe('an action that would do something else than its request shows', () => {
  /** A monthly subscription that starts on 1 January, and a held cancellation of it. */
  const heldCancellation = async (body: object) => {
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'south' });
    await enable('subscription.cancel', { expiresInDays: 90 });
    return { subscriptionId, held: await hold(`/v1/subscriptions/${subscriptionId}/cancel`, body) };
  };

  it.each([
    ['at the end of the period', {}, 'the time of the effect was 2026-02-01'],
    ['at once', { immediately: true }, 'currentPeriodEnd was 2026-02-01'],
  ])('is refused: a cancellation %s, after a renewal', async (_, body, difference) => {
    const { subscriptionId, held } = await heldCancellation(body);
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    const refused = await approve(held.id, 409);
    expect(refused).toMatchObject({ code: 'approval_outdated', error: expect.stringContaining(difference) });
    expect(await request(held.id)).toMatchObject({ status: 'pending', decidedBy: null });
    expect(await get(`/v1/subscriptions/${subscriptionId}`)).toMatchObject({
      status: 'active',
      cancelAt: null,
    });
    // A new request shows the new end.
    const again = await hold(`/v1/subscriptions/${subscriptionId}/cancel`, body);
    await approve(again.id);
    await settle(workspace);
    expect(await request(again.id)).toMatchObject({ status: 'executed' });
  });

  it('is refused: a cancellation of a subscription whose plan was changed in between', async () => {
    const { subscriptionId, held } = await heldCancellation({});
    expect(held).toMatchObject({
      effectiveAt: '2026-02-01T00:00:00.000Z',
      terms: expect.arrayContaining([{ name: 'plan', value: expect.stringMatching(/^Growth .*version 1/) }]),
    });
    const yearly = await createPlan(workspace, fee('Year', 365, { timing: 'in_advance', cadence: 'annual' }));
    await post(`/v1/subscriptions/${subscriptionId}/amend`, { planId: yearly });
    expect(await approve(held.id, 409)).toMatchObject({
      code: 'approval_outdated',
      error: expect.stringMatching(/plan was Growth .* and is now /),
    });
  });

  it('is refused by its execution too, if the change comes after the approval', async () => {
    const { subscriptionId, held } = await heldCancellation({});
    const approved = Promise.withResolvers<void>();
    const renewed = Promise.withResolvers<void>();
    beforeCommand(system.saga, 'StartApprovedAction', async () => {
      approved.resolve();
      await renewed.promise;
    });
    await approve(held.id);
    await approved.promise;
    const dearer = await createPlan(workspace, fee('Dearer', 62, { timing: 'in_advance' }));
    await post(`/v1/subscriptions/${subscriptionId}/amend`, { planId: dearer });
    renewed.resolve();
    await settle(workspace);
    expect(await request(held.id)).toMatchObject({
      status: 'failed',
      failure: { code: 'approval_outdated' },
    });
    expect(await get(`/v1/subscriptions/${subscriptionId}`)).toMatchObject({ cancelAt: null });
  });

  it('is refused: a credit note that would now be refunded', async () => {
    await put('/v1/billing-settings', { autoCollect: false });
    const invoiceId = await invoice(80);
    await opened();
    await enable('invoice.credit_note');
    const held = await hold(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'other', amount: 30 });
    expect(held.terms).toContainEqual({ name: 'creditedToAmountDue', value: 30 });
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${invoiceId}/pay`);
    expect(await approve(held.id, 409)).toMatchObject({
      code: 'approval_outdated',
      error: expect.stringContaining('creditedToAmountDue was 30.00 and is now 0.00'),
    });
  });
});

describe('another way to the same money', () => {
  it('is held as a grant: credits that are sold below their price, once or by each top-up', async () => {
    await create('/v1/credit-types', { type: 'api', name: 'API', unitPrice: 1, currency: 'USD' });
    await enable('credit.grant', { thresholdAmount: 50, thresholdCurrency: 'USD' });
    const wallet = `/v1/customers/${customerId}/wallets/api`;
    const sale = { credits: 100, collection: 'send_invoice', idempotencyKey: 'p-1' };
    // 40.00 are given away: less than the threshold.
    await create(`${wallet}/purchases`, { credits: 100, collection: 'send_invoice', unitPrice: 0.6 });
    await create(`${wallet}/purchases`, { credits: 100, collection: 'send_invoice' });
    const held = await hold(`${wallet}/purchases`, { ...sale, unitPrice: 0.01 });
    expect(held).toMatchObject({
      action: 'credit.grant',
      amount: 99,
      currency: 'USD',
      resource: { type: 'wallet', id: 'api' },
      lines: [{ description: '100 credits: API', amount: 1 }],
    });
    expect(await hold(`${wallet}/purchases`, { ...sale, unitPrice: 0.01 })).toEqual(held);
    const topUp = { threshold: 10, credits: 100, unitPrice: 0.01 };
    const standing = await put(`${wallet}/auto-top-up`, topUp, 202);
    expect(standing).toMatchObject({ action: 'credit.grant', amount: null });
    await put(`${wallet}/auto-top-up`, { ...topUp, unitPrice: 1, enabled: false });
    for (const { id } of [held, standing]) await approve(id);
    await settle(workspace);
    expect(await request(held.id)).toMatchObject({ status: 'executed', result: { type: 'credit_block' } });
    expect(await request(standing.id)).toMatchObject({ status: 'executed' });
    expect(await get(`${wallet}/auto-top-up`)).toMatchObject({ unitPrice: 0.01 });
  });

  it('is held: a change of the balance, a write-off, a recorded payment and a pause', async () => {
    await put('/v1/billing-settings', { autoCollect: false });
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'south' });
    const [written, paid, small] = [await invoice(80), await invoice(70), await invoice(10)];
    await opened();
    const threshold = { thresholdAmount: 50, thresholdCurrency: 'USD' };
    for (const action of ['balance.adjust', 'payment.record', 'invoice.mark_uncollectible'])
      await enable(action, threshold);
    await enable('subscription.pause');

    // A balance of the same customer would pay the open invoices.
    const { id: other } = await create('/v1/customers', { name: 'Southwind Ltd' });
    const balance = `/v1/customers/${other}/balance`;
    await post(balance, { amount: 49, reason: 'Sorry' });
    const given = await hold(balance, { amount: 60, reason: 'Very sorry' });
    expect(given).toMatchObject({
      action: 'balance.adjust',
      amount: 60,
      reason: 'Very sorry',
      resource: { id: 'USD' },
      changes: [{ field: 'balance', before: 49, after: 109 }],
    });
    const payment = { amount: 70, method: 'cash' };
    await create(`/v1/invoices/${small}/payments`, { amount: 10, method: 'cash' });
    const recorded = await hold(`/v1/invoices/${paid}/payments`, payment);
    expect(recorded).toMatchObject({
      action: 'payment.record',
      amount: 70,
      resource: { type: 'invoice', id: paid },
      terms: expect.arrayContaining([{ name: 'method', value: 'cash' }]),
    });
    const writtenOff = await hold(`/v1/invoices/${written}/mark-uncollectible`);
    expect(writtenOff).toMatchObject({ action: 'invoice.mark_uncollectible', amount: 80 });
    const paused = await hold(`/v1/subscriptions/${subscriptionId}/pause`);
    expect(paused).toMatchObject({
      action: 'subscription.pause',
      amount: null,
      effectiveAt: null,
      lines: [{ amount: -31 }],
      terms: expect.arrayContaining([{ name: 'currentPeriodEnd', value: '2026-02-01T00:00:00.000Z' }]),
    });
    expect(await get(`/v1/invoices/${written}`)).toMatchObject({ status: 'open' });
    for (const { id } of [given, recorded, writtenOff, paused]) await approve(id);
    await settle(workspace);
    for (const { id } of [given, recorded, writtenOff, paused])
      expect(await request(id)).toMatchObject({ status: 'executed', failure: null });
    expect(await get(`/v1/invoices/${written}`)).toMatchObject({ status: 'uncollectible' });
    expect(await get(`/v1/invoices/${paid}`)).toMatchObject({ status: 'paid' });
    expect(await get(`/v1/subscriptions/${subscriptionId}`)).toMatchObject({ status: 'paused' });
  });
});

describe('a write-off by itself after the last retry', () => {
  const settings = '/v1/payment-retry/settings';
  const writeOff = { whenExhausted: 'mark_uncollectible' };

  it('is held with the settings that begin it', async () => {
    await enable('invoice.mark_uncollectible', { thresholdAmount: 1000, thresholdCurrency: 'USD' });
    await put(settings, { intervalsDays: [2], whenExhausted: 'leave_open' });
    await put(settings, { ...writeOff, enabled: false });
    await put(settings, { enabled: true }, 202);
    await put(settings, { enabled: true, whenExhausted: 'leave_open' });
    const held = await put(settings, writeOff, 202);
    expect(held).toMatchObject({
      action: 'invoice.mark_uncollectible',
      customerId: null,
      amount: null,
      currency: null,
      resource: { type: 'payment_retry_settings' },
      terms: expect.arrayContaining([{ name: 'intervalsDays', value: '2' }]),
      changes: [{ field: 'whenExhausted', before: 'leave_open', after: 'mark_uncollectible' }],
    });
    expect(await get(settings)).toMatchObject({ whenExhausted: 'leave_open' });
    await approve(held.id);
    await settle(workspace);
    expect(await request(held.id)).toMatchObject({ status: 'executed', result: held.resource });
    expect(await get(settings)).toMatchObject({ ...writeOff, intervalsDays: [2] });
    await put(settings, { ...writeOff, intervalsDays: [3] });
  });
});

describe('a lower price', () => {
  it('is held for a price, a plan and a credit type, and a higher one is not', async () => {
    const price = await create('/v1/prices', fee('Seat', 10));
    const other = await create('/v1/prices', fee('Cheap seat', 8));
    const plan = await create('/v1/plans', { name: 'Pro', prices: [price.id], minimumCommitment: 50 });
    await create('/v1/credit-types', { type: 'tokens', name: 'Tokens', unitPrice: 2, currency: 'USD' });
    await enable('price.lower');

    const config = (amount: number) => ({ config: { model: 'flat', amount, currency: 'USD' } });
    const { http: caller } = workspace;
    await caller.patch(`/v1/prices/${price.id}`, config(12)).expect(200);
    await caller.patch(`/v1/prices/${price.id}`, { name: 'Place' }).expect(200);
    const cheaper = (await caller.patch(`/v1/prices/${price.id}`, config(9)).expect(202)).body;
    expect(cheaper).toMatchObject({
      action: 'price.lower',
      customerId: null,
      amount: null,
      currency: 'USD',
      resource: { type: 'price', id: price.id },
      changes: [{ field: 'config', after: expect.stringContaining('"9"') }],
    });

    await caller.patch(`/v1/plans/${plan.id}`, { minimumCommitment: 60 }).expect(200);
    await post(`/v1/plans/${plan.id}/publish`);
    await caller.patch(`/v1/plans/${plan.id}`, { prices: [other.id] }).expect(200);
    const published = await hold(`/v1/plans/${plan.id}/publish`);
    expect(published).toMatchObject({ resource: { type: 'plan', id: plan.id }, customerId: null });
    const restored = await hold(`/v1/plans/${plan.id}/versions/1/restore`);

    const tokens = '/v1/credit-types/tokens';
    await caller.patch(tokens, { unitPrice: 3 }).expect(200);
    const cheapTokens = (await caller.patch(tokens, { unitPrice: 1 }).expect(202)).body;
    expect(cheapTokens).toMatchObject({
      resource: { type: 'credit_type', id: 'tokens' },
      changes: [
        { field: 'unitPrice', before: 3, after: 1 },
        { field: 'overagePrice', before: 3, after: 1 },
      ],
    });
    expect(await get(tokens)).toMatchObject({ unitPrice: 3 });

    for (const { id } of [cheaper, published, cheapTokens]) await approve(id);
    await settle(workspace);
    for (const { id } of [cheaper, published, cheapTokens])
      expect(await request(id)).toMatchObject({ status: 'executed', failure: null });
    expect((await get(`/v1/prices/${price.id}`)).config).toMatchObject({ amount: 9 });
    expect(await get(`/v1/plans/${plan.id}`)).toMatchObject({ prices: [{ priceId: other.id }] });
    expect(await get(tokens)).toMatchObject({ unitPrice: 1 });
    // Another version is published now than the request shows.
    expect(await approve(restored.id, 409)).toMatchObject({ code: 'approval_outdated' });
  });

  it('can come from a metric that measures something else while a price charges for it', async () => {
    const aggregation = { type: 'sum', property: 'u' };
    const metric = await create('/v1/metrics', { name: 'units', aggregation });
    const free = await create('/v1/metrics', { name: 'others', aggregation });
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    const price = await create('/v1/prices', { name: 'Units', metricId: metric.id, config });
    await enable('price.lower');

    const { http: caller } = workspace;
    const narrowed = { aggregation: { ...aggregation, filter: { none: 'such' } } };
    await caller.patch(`/v1/metrics/${free.id}`, narrowed).expect(200);
    await caller.patch(`/v1/metrics/${metric.id}`, { name: 'Units', description: 'All' }).expect(200);
    await caller.patch(`/v1/metrics/${metric.id}`, { aggregation: { type: 'sum' } }).expect(400);
    const filtered = (await caller.patch(`/v1/metrics/${metric.id}`, narrowed).expect(202)).body;
    expect(filtered).toMatchObject({
      action: 'price.lower',
      customerId: null,
      amount: null,
      currency: 'USD',
      resource: { type: 'metric', id: metric.id },
      terms: expect.arrayContaining([{ name: 'prices', value: price.id }]),
      changes: [{ field: 'aggregation', after: expect.stringContaining('such') }],
    });
    const renamed = (await caller.patch(`/v1/metrics/${metric.id}`, { eventName: 'other' }).expect(202)).body;
    expect(await get(`/v1/metrics/${metric.id}`)).toMatchObject({ aggregation, eventName: 'units' });

    await approve(filtered.id);
    await settle(workspace);
    expect(await request(filtered.id)).toMatchObject({
      status: 'executed',
      failure: null,
      result: { type: 'metric', id: metric.id },
    });
    expect(await get(`/v1/metrics/${metric.id}`)).toMatchObject(narrowed);
    expect(await approve(renamed.id, 409)).toMatchObject({ code: 'approval_outdated' });
  });
});

describe('the erasure of a customer', () => {
  it('ends the pending requests about the customer', async () => {
    await enable('invoice.void');
    const held = await hold(`/v1/invoices/${await invoice(10)}/void`);
    await workspace.session
      .post(`/v1/customers/${customerId}/erase`, { reason: 'Ticket 4711', force: true })
      .expect(202);
    await untilErased(system, workspace, customerId);
    expect(await request(held.id)).toMatchObject({ status: 'expired', decidedBy: null });
    expect(await approve(held.id, 409)).toMatchObject({ code: 'approval_decided' });
  });
});
