import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { WalletReader } from '#libs/contexts/credits';
import { PaymentGateways } from '#libs/contexts/payments';
import { AggregateStore, SnapshotUpdater } from '#libs/kernel/event-store';
import { whileWalletHeld } from '../../../test/support/held-wallet.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  chargedMetric as chargedMetricWith,
  ledgerBalances,
  settle,
  workspacePerTest,
} from '../../../test/support/index.js';

const { system, workspace, get, post, put, remove, create, newestInvoice } = workspacePerTest();
const chargedMetric = chargedMetricWith(post);

/** A wallet whose credits cost 0.01 USD each. Usage costs half a credit a unit. The customer has this card. */
async function walletWithCard(card: string | null = 'pm_card_visa', type: object = {}) {
  const charged = await chargedMetric(type);
  const addCard = (test: string) =>
    create(`/v1/customers/${charged.customerId}/payment-methods`, { type: 'test', test });
  if (card !== null) await addCard(card);
  const buy = (body: object, status = 201) => post(`${charged.path}/purchases`, body, status);
  /** The kinds and amounts in the ledger, the oldest first. */
  const ledger = async () =>
    (await get(`${charged.path}/ledger`)).data
      .map(({ type: kind, amount }: { type: string; amount: number }) => [kind, amount])
      .reverse();
  return { ...charged, addCard, buy, ledger };
}

describe('a purchase by card', () => {
  it('is charged at once, and its price is revenue as the credits are used', async () => {
    const { path, use, buy, ledger, customerId } = await walletWithCard();
    const bought = await buy({ credits: 1_000, description: 'January' });
    expect(bought).toMatchObject({
      status: 'active',
      credits: 1_000,
      unitPrice: 0.01,
      total: 10,
      currency: 'USD',
      expiresAt: null,
      invoice: { status: 'paid', number: 'INV-000001' },
      payment: { status: 'succeeded' },
    });
    expect(await get(path)).toMatchObject({
      balance: 1_000,
      blocks: [
        { id: bought.id, source: 'purchase', status: 'active', costBasis: 10, invoiceId: bought.invoice.id },
      ],
    });
    expect(await newestInvoice(customerId)).toMatchObject({
      kind: 'credit_purchase',
      total: 10,
      memo: 'January',
      lines: [
        { type: 'credit_purchase', description: 'AI credits (prepaid credits)', quantity: 1_000, amount: 10 },
      ],
    });
    await settle(workspace);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, prepaid_credits: -10 });
    // 667 units cost 333.5 credits. What remains of 10.00 is 6.665, rounded 6.67.
    await use(667);
    await settle(workspace);
    expect(await ledger()).toEqual([
      ['purchased', 1_000],
      ['drawn_down', -333.5],
    ]);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, prepaid_credits: -6.67, revenue: -3.33 });
    await use(1_333);
    await settle(workspace);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, revenue: -10 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('stays unpaid if the card is declined, and can be paid later', async () => {
    const { path, buy, customerId, addCard } = await walletWithCard('pm_card_chargeDeclined');
    const declined = await buy({ credits: 500 });
    expect(declined).toMatchObject({
      status: 'pending_payment',
      invoice: { status: 'open' },
      payment: { status: 'failed', code: 'card_declined', message: expect.any(String) },
    });
    expect(await get(path)).toMatchObject({
      balance: 0,
      blocks: [{ id: declined.id, status: 'pending_payment', amount: 500, remaining: 0, effectiveAt: null }],
    });
    const { id } = await addCard('pm_card_visa');
    await post(`/v1/customers/${customerId}/payment-methods/${id}/default`);
    await post(`/v1/invoices/${declined.invoice.id}/pay`);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 500, blocks: [{ id: declined.id, status: 'active' }] });
  });

  it('is refused without a card, and sells nothing', async () => {
    const { path, buy, ledger } = await walletWithCard(null);
    expect(await buy({ credits: 500 }, 409)).toMatchObject({ code: 'no_payment_method' });
    expect(await buy({ credits: 0.001, collection: 'send_invoice' }, 400)).toMatchObject({
      code: 'nothing_to_pay',
    });
    expect(await buy({ credits: 5, currency: 'EUR', collection: 'send_invoice' }, 400)).toMatchObject({
      details: [{ field: 'currency' }],
    });
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect(await ledger()).toEqual([]);
  });

  it('is sold once for one key, whenever it comes', async () => {
    const { path, buy } = await walletWithCard();
    const order = { credits: 10, unitPrice: 0.5, idempotencyKey: 'order-1' };
    const answers = await Promise.all([1, 2, 3].map(() => buy(order)));
    const [first] = answers;
    expect(answers).toEqual([first, first, first]);
    expect(first).toMatchObject({ status: 'active', total: 5 });
    await settle(workspace);
    await post(`${path}/blocks/${first.id}/void`, {});
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    expect(await buy({ ...order, credits: 99 })).toEqual(first);
    expect((await get('/v1/invoices')).data).toHaveLength(1);
  });
});

describe('a purchase by invoice', () => {
  it('can be used from its payment on, for the days of the credit type', async () => {
    const { path, buy, customerId } = await walletWithCard(null, { expiresAfterDays: 30 });
    const bought = await buy({ credits: 1_000, collection: 'send_invoice' });
    expect(bought).toMatchObject({
      status: 'pending_payment',
      payment: null,
      expiresAt: null,
      invoice: { status: 'open', dueDate: '2026-01-31T00:00:00.000Z' },
    });
    await advanceClock(workspace, '2026-02-10T00:00:00Z');
    expect(await get(path)).toMatchObject({ balance: 0 });
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${bought.invoice.id}/pay`);
    await settle(workspace);
    expect(await get(path)).toMatchObject({
      balance: 1_000,
      blocks: [{ effectiveAt: '2026-02-10T00:00:00.000Z', expiresAt: '2026-03-12T00:00:00.000Z' }],
    });
    // What is left at the expiry is breakage.
    await advanceClock(workspace, '2026-03-12T00:00:00Z');
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, breakage: -10 });
  });

  it('ends with its invoice when it is voided, or not paid until its expiry', async () => {
    const { path, buy, ledger } = await walletWithCard(null);
    const invoice = { collection: 'send_invoice', expiresAt: '2026-02-01T00:00:00Z' };
    const [one, two, three] = [
      await buy({ credits: 1, ...invoice }),
      await buy({ credits: 2, ...invoice }),
      await buy({ credits: 3, ...invoice }),
    ];
    await post(`${path}/blocks/${one.id}/void`, { reason: 'By mistake' });
    // As a client does that got no answer.
    expect(await post(`${path}/blocks/${one.id}/void`, {})).toMatchObject({ balance: 0 });
    await post(`/v1/invoices/${two.invoice.id}/void`, {});
    await settle(workspace);
    expect(await get(path)).toMatchObject({ blocks: [{ id: three.id }] });
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect(await ledger()).toEqual([]);
    const statuses = (await get('/v1/invoices')).data.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['void', 'void', 'void']);
    expect(await ledgerBalances(workspace)).toEqual({});
  });

  it('stays unpaid if it is partly paid at its expiry, until the payment is reversed and the invoice voided', async () => {
    const { path, buy } = await walletWithCard(null);
    const { invoice } = await buy({
      credits: 1_000,
      collection: 'send_invoice',
      expiresAt: '2026-02-01T00:00:00Z',
    });
    const invoicePath = `/v1/invoices/${invoice.id}`;
    const { payments } = await create(`${invoicePath}/payments`, { method: 'check', amount: 4 });
    await advanceClock(workspace, '2026-02-02T00:00:00Z');
    expect(await get(invoicePath)).toMatchObject({ status: 'open', amountPaid: 4, amountDue: 6 });
    await workspace.http
      .delete(`${invoicePath}/payments/${payments[0].id}`, { reason: 'Bounced' })
      .expect(200);
    await post(`${invoicePath}/void`, {});
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect(await ledgerBalances(workspace)).toEqual({});
  });
});

describe('a void of a bought block', () => {
  it('gives back the price of what was not used, if asked for', async () => {
    const { path, use, buy } = await walletWithCard();
    const bought = await buy({ credits: 1_000 });
    await use(500);
    await settle(workspace);
    const ofInvoice = `/v1/invoices/${bought.invoice.id}`;
    const notes = `${ofInvoice}/credit-notes`;
    const note = { amount: 1, reason: 'other' };
    expect(await post(`${ofInvoice}/credit-note`, note, 409)).toMatchObject({ code: 'credits_not_voided' });
    expect(await post(`${path}/blocks/${bought.id}/void`, { creditNote: true })).toMatchObject({
      balance: 0,
    });
    // 750 of the 1,000 credits were left: 7.50 USD go back to the card.
    const { data } = await get(notes);
    expect(data).toMatchObject([{ total: 7.5, refundAmount: 7.5 }]);
    await settle(workspace);
    expect((await get(notes)).data).toHaveLength(1);
    expect(await post(`${notes}/${data[0].id}/void`, {}, 409)).toMatchObject({ code: 'credits_voided' });
    expect(await ledgerBalances(workspace)).toEqual({ cash: 2.5, revenue: -2.5 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('gives nothing back otherwise, and cannot if nothing was paid', async () => {
    const { path, buy } = await walletWithCard();
    const bought = await buy({ credits: 1_000 });
    await post(`${path}/blocks/${bought.id}/void`, {});
    await settle(workspace);
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, breakage: -10 });
    const granted = await post(`${path}/grants`, { amount: 5 }, 201);
    expect(await post(`${path}/blocks/${granted.id}/void`, { creditNote: true }, 400)).toMatchObject({
      details: [{ field: 'creditNote' }],
    });
  });

  it('takes no credits if the invoice refuses the credit note', async () => {
    const { path, buy } = await walletWithCard(null);
    const order = { credits: 1_000, collection: 'send_invoice' };
    const first = await buy(order);
    await create(`/v1/invoices/${first.invoice.id}/payments`, { method: 'check', amount: 16 });
    // The excess of 6.00 pays a part of the second invoice.
    const second = await buy(order);
    const invoicePath = `/v1/invoices/${second.invoice.id}`;
    const { payments } = await create(`${invoicePath}/payments`, { method: 'check', amount: 4 });
    await settle(workspace);
    await workspace.http
      .delete(`${invoicePath}/payments/${payments[0].id}`, { reason: 'Bounced' })
      .expect(200);
    expect(await get(invoicePath)).toMatchObject({ status: 'open', amountDue: 4 });
    expect(await post(`${path}/blocks/${second.id}/void`, { creditNote: true }, 400)).toMatchObject({
      code: 'credit_exceeds_invoice',
    });
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 2_000 });
  });

  it('takes no credits if a card would be refunded and there is no gateway', async () => {
    const { path, buy } = await walletWithCard();
    const bought = await buy({ credits: 1_000 });
    await settle(workspace);
    const gateways = system.api.get(PaymentGateways, { strict: false });
    const spy = jest.spyOn(gateways, 'find').mockResolvedValue(undefined);
    const refused = await post(`${path}/blocks/${bought.id}/void`, { creditNote: true }, 409);
    spy.mockRestore();
    expect(refused).toMatchObject({ code: 'no_payment_gateway' });
    expect(await get(path)).toMatchObject({ balance: 1_000 });
  });

  it('has one winner if its invoice is being paid', async () => {
    const { path, buy, customerId } = await walletWithCard(null);
    const bought = await buy({ credits: 1_000, collection: 'send_invoice' });
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    const release = holdCommand('CompletePayment');
    const paying = post(`/v1/invoices/${bought.invoice.id}/pay`);
    await release.arrived;
    const voidIt = (status: number) => post(`${path}/blocks/${bought.id}/void`, {}, status);
    expect(await voidIt(409)).toMatchObject({ code: 'payment_in_progress' });
    release.open();
    expect(await paying).toMatchObject({ status: 'paid' });
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 1_000 });
    expect(await voidIt(200)).toMatchObject({ balance: 0 });

    // The other way round, the void comes first, and the payment is refused.
    const other = await buy({ credits: 7, collection: 'send_invoice' });
    const late = holdCommand('StartPayment');
    const refused = post(`/v1/invoices/${other.invoice.id}/pay`, {}, 400);
    await late.arrived;
    await post(`${path}/blocks/${other.id}/void`, {});
    late.open();
    expect(await refused).toMatchObject({ code: 'invoice_void' });
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
  });
});

describe('an automatic top-up', () => {
  const topUps = async (path: string) =>
    (await get(`${path}/ledger?type=purchased`)).data.map(({ amount }: { amount: number }) => amount);

  it('buys at the threshold, once for all events that cross it together, and at most so often in a month', async () => {
    const { path, use } = await walletWithCard();
    await post(`${path}/grants`, { amount: 200 }, 201);
    const settings = { threshold: 100, credits: 150, maxPerMonth: 2 };
    expect(await put(`${path}/auto-top-up`, settings)).toMatchObject({
      ...settings,
      enabled: true,
      unitPrice: null,
      currency: 'USD',
    });
    expect(await get(`${path}/auto-top-up`)).toMatchObject(settings);
    await settle(workspace);
    expect(await topUps(path)).toEqual([]);
    // 20 events cost 5 credits each: 200 - 100 = 100, which is the threshold.
    const used = await whileWalletHeld(system, workspace, path, async (held) => {
      const sent = Array.from({ length: 20 }, () => use(10));
      await held.untilWaiting(1);
      return sent;
    });
    expect(used.flatMap(({ accepted }) => accepted)).toHaveLength(20);
    await settle(workspace);
    expect(await topUps(path)).toEqual([150]);
    expect(await get(path)).toMatchObject({ balance: 250 });
    await use(400);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 200 });
    await use(300);
    await settle(workspace);
    // The third one of January waits for February.
    expect(await get(path)).toMatchObject({ balance: 50 });
    await advanceClock(workspace, '2026-01-31T23:59:59Z');
    expect(await topUps(path)).toEqual([150, 150]);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await topUps(path)).toEqual([150, 150, 150]);
    expect(await get(path)).toMatchObject({ balance: 200 });
    await remove(`${path}/auto-top-up`);
    expect(await get(`${path}/auto-top-up`, 404)).toMatchObject({ code: 'auto_top_up_not_found' });
    await use(400);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0 });
    // Six receipts of 1.50 USD: three top-ups.
    expect(await ledgerBalances(workspace)).toMatchObject({ cash: 4.5 });
  });

  it('buys what usage needs that was refused above the threshold, with one charge', async () => {
    const { path, use, customerId } = await walletWithCard();
    await post(`${path}/grants`, { amount: 150 }, 201);
    await put(`${path}/auto-top-up`, { threshold: 100, credits: 30 });
    // The event costs 200 credits: 50 more than the balance, which are two top-ups.
    const { rejected } = await use(400);
    expect(rejected).toMatchObject([{ code: 'insufficient_credits' }]);
    await settle(workspace);
    expect(await topUps(path)).toEqual([60]);
    expect(await newestInvoice(customerId)).toMatchObject({ kind: 'credit_purchase', total: 0.6 });
    expect((await use(400)).accepted).toHaveLength(1);
    await settle(workspace);
    // A balance of 10 needs four top-ups to be above 100, and three of five are left in January.
    expect(await topUps(path)).toEqual([90, 60]);
    // Usage that no top-up of the month can cover buys nothing.
    await use(4_000);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 100 });
  });

  it('buys nothing for refused usage if it is not set, or if the usage is of another credit type', async () => {
    const { path, use } = await walletWithCard();
    await post(`${path}/grants`, { amount: 150 }, 201);
    await use(400);
    await settle(workspace);
    await put(`${path}/auto-top-up`, { threshold: 100, credits: 20 });
    await settle(workspace);
    expect(await topUps(path)).toEqual([]);
  });

  it('is invoiced and charged even if the saga hears of it before the wallet is stored', async () => {
    const { path, use, customerId } = await walletWithCard();
    await post(`${path}/grants`, { amount: 200 }, 201);
    await put(`${path}/auto-top-up`, { threshold: 100, credits: 150 });
    const store = system.saga.get(SnapshotUpdater, { strict: false });
    const append = store.append.bind(store);
    const told = Promise.withResolvers<void>();
    const spy = jest.spyOn(store, 'append').mockImplementation(async (...args) => {
      const appended = await append(...args);
      if (args[4].some(({ type }) => type === 'CreditPurchaseCreated')) {
        spy.mockRestore();
        await taskDone({ customerId }, 'complete-purchase');
        told.resolve();
      }
      return appended;
    });
    await use(200);
    await told.promise;
    await settle(workspace);
    expect(await topUps(path)).toEqual([150]);
    expect(await get(path)).toMatchObject({ balance: 250 });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is refused if its credits cost nothing', async () => {
    const { path } = await walletWithCard();
    const settings = { threshold: 1, credits: 0.4 };
    expect(await put(`${path}/auto-top-up`, settings, 400)).toMatchObject({ code: 'nothing_to_pay' });
    expect(await put(`${path}/auto-top-up`, { ...settings, unitPrice: 1 })).toMatchObject(settings);
  });

  it('can be set before there is a card, says so, and charges the first card', async () => {
    const { path, customerId, addCard, use } = await walletWithCard(null);
    await post(`${path}/grants`, { amount: 20 }, 201);
    const settings = { threshold: 10, credits: 100 };
    const set = await put(`${path}/auto-top-up`, settings);
    expect(set).toMatchObject({ ...settings, enabled: true, paymentMethodId: null });
    await use(20);
    await settle(workspace);
    const invoice = await newestInvoice(customerId);
    expect(invoice).toMatchObject({ kind: 'credit_purchase', status: 'open', total: 1 });
    expect((await get(`/v1/invoices/${invoice.id}/payment-attempts`)).data).toEqual([]);
    const { id } = await addCard('pm_card_visa');
    await settle(workspace);
    expect(await get(`${path}/auto-top-up`)).toEqual({ ...set, paymentMethodId: id });
    expect(await get(`/v1/invoices/${invoice.id}`)).toMatchObject({ status: 'paid' });
    expect(await get(path)).toMatchObject({ balance: 110 });
    expect((await get('/v1/invoices')).data).toHaveLength(1);
  });

  it('does not try a declined card again, until there is a new card', async () => {
    const { path, customerId, addCard } = await walletWithCard('pm_card_chargeDeclined');
    await put(`${path}/auto-top-up`, { threshold: 10, credits: 100 });
    await settle(workspace);
    const invoice = await newestInvoice(customerId);
    const attempts = async () =>
      (await get(`/v1/invoices/${invoice.id}/payment-attempts`)).data.length as number;
    expect(await attempts()).toBe(1);
    await post(`${path}/grants`, { amount: 1 }, 201);
    await post(`${path}/void`, { amount: 1 });
    await advanceClock(workspace, '2026-01-20T00:00:00Z');
    expect(await attempts()).toBe(1);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await attempts()).toBe(2);
    const { id } = await addCard('pm_card_visa');
    await post(`/v1/customers/${customerId}/payment-methods/${id}/default`);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 100 });
    expect((await get('/v1/invoices')).data).toHaveLength(1);
  });

  it.each([
    ['is being declined', 'pm_card_chargeDeclined'],
    ['asks the customer to confirm the charge', 'pm_card_authenticationRequired'],
  ])('charges the new card at once if it replaces a card that %s', async (_, card) => {
    const { path, customerId, addCard } = await walletWithCard(card);
    await settle(workspace);
    const charging = holdCommand('CompletePayment', system.saga);
    await put(`${path}/auto-top-up`, { threshold: 10, credits: 100 });
    await charging.arrived;
    const { id: paymentMethodId } = await addCard('pm_card_visa');
    await post(`/v1/customers/${customerId}/payment-methods/${paymentMethodId}/default`);
    // One task for the new card, and one for the new default.
    await taskDone({ customerId, paymentMethodId }, 'charge-top-ups', 2);
    charging.open();
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 100 });
    const { id } = await newestInvoice(customerId);
    expect((await get(`/v1/invoices/${id}/payment-attempts`)).data).toHaveLength(2);
  });

  it('buys again in the next month after its invoice was written off, and the written-off invoice is not charged', async () => {
    const { path, customerId, addCard } = await walletWithCard('pm_card_chargeDeclined');
    await put(`${path}/auto-top-up`, { threshold: 10, credits: 100 });
    await settle(workspace);
    const { id: writtenOff } = await newestInvoice(customerId);
    await post(`/v1/invoices/${writtenOff}/mark-uncollectible`);
    await settle(workspace);
    const { id } = await addCard('pm_card_visa');
    await post(`/v1/customers/${customerId}/payment-methods/${id}/default`);
    await advanceClock(workspace, '2026-01-31T23:59:59Z');
    expect((await get('/v1/invoices')).data).toHaveLength(1);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await newestInvoice(customerId)).toMatchObject({ status: 'paid' });
    expect(await get(path)).toMatchObject({ balance: 100 });
    expect(await get(`/v1/invoices/${writtenOff}`)).toMatchObject({ status: 'uncollectible' });
    // The credits of the first purchase can still be paid.
    await post(`/v1/invoices/${writtenOff}/pay`);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 200 });
  });

  it('is removed with its customer, and buys nothing more in the next month', async () => {
    const { path, customerId } = await walletWithCard(null);
    await put(`${path}/auto-top-up`, { threshold: 10, credits: 100 });
    await settle(workspace);
    // The void puts the next top-up off to February.
    await post(`/v1/invoices/${(await newestInvoice(customerId)).id}/void`, {});
    await settle(workspace);
    await workspace.http.delete(`/v1/customers/${customerId}`).expect(204);
    await settle(workspace);
    const key = { workspaceId: workspace.workspaceId, customerId, creditType: 'ai-credits' };
    expect(await system.api.get(WalletReader, { strict: false }).read(key)).toMatchObject({
      autoTopUp: null,
    });
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    expect((await get('/v1/invoices')).data).toMatchObject([{ status: 'void' }]);
  });

  it('charges a declined top-up again when its card is detached, and not when a card that is not the default is added', async () => {
    const { path, customerId, addCard } = await walletWithCard('pm_card_chargeDeclined');
    await put(`${path}/auto-top-up`, { threshold: 10, credits: 100 });
    await settle(workspace);
    const invoice = `/v1/invoices/${(await newestInvoice(customerId)).id}`;
    await addCard('pm_card_visa');
    await settle(workspace);
    expect((await get(`${invoice}/payment-attempts`)).data).toMatchObject([{ status: 'failed' }]);
    const { data: methods } = await get(`/v1/customers/${customerId}/payment-methods`);
    const declined = methods.find((one: { default: boolean }) => one.default);
    await remove(`/v1/customers/${customerId}/payment-methods/${declined.id}`);
    await settle(workspace);
    expect(await get(invoice)).toMatchObject({ status: 'paid' });
    expect(await get(path)).toMatchObject({ balance: 100 });
  });
});

/** Waits until the saga has done a task, or several, whose payload has these fields. */
async function taskDone(payload: object, name: string, times = 1): Promise<void> {
  const client = new pg.Client({ connectionString: system.database.url });
  await client.connect();
  try {
    const done = `SELECT FROM saga.tasks WHERE name = $1 AND payload @> $2 AND status = 'done'`;
    while ((await client.query(done, [name, payload])).rowCount! < times) await delay(20);
  } finally {
    await client.end();
  }
}

/** Holds one command of invoices before it runs. `arrived` resolves when the command has come. */
function holdCommand(
  type: string,
  process: Pick<typeof system.api, 'get'> = system.api,
): { arrived: Promise<void>; open: () => void } {
  const store = process.get(AggregateStore, { strict: false });
  const execute = store.execute.bind(store);
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const spy = jest.spyOn(store, 'execute').mockImplementation(async (decider, id, context, command) => {
    if ((command as { type?: string }).type === type) {
      arrived.resolve();
      await opened.promise;
      spy.mockRestore();
    }
    return execute(decider, id, context, command);
  });
  return { arrived: arrived.promise, open: () => opened.resolve() };
}
