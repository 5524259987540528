import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Repository, type ObjectLiteral } from 'typeorm';
import { Balances } from '#libs/contexts/balances';
import {
  commandContextOf,
  createInvoice,
  customerWithCard,
  eventsOf,
  lineOf,
} from '../../../test/support/invoicing.js';
import { startSystem, type Client, type System, type TestWorkspace } from '../../../test/support/index.js';
import type { InvoiceView } from './invoice.dto.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  // Collection would open and charge the drafts that these tests open and charge by hand.
  await system.saga.close();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace({ companyName: 'Acme Inc.' });
  http = workspace.http;
});

const draft = async (customerId: string, change = {}) => createInvoice(system, workspace, customerId, change);

describe('GET /v1/invoices/:id', () => {
  it('shows a draft with exact amounts', async () => {
    const customerId = await customerWithCard(workspace);
    const lines = [
      lineOf({ id: 'line_a' }),
      lineOf({
        id: 'line_b',
        type: 'usage',
        description: 'Tokens',
        metricId: 'met_1',
        quantity: '9007199254740993',
        unitPrice: '0.0000025',
        amount: '22517998136.85',
      }),
    ];
    const id = await draft(customerId, { lines });
    const { body, text } = await http.get(`/v1/invoices/${id}`).expect(200);
    expect(body).toEqual({
      id,
      number: null,
      customerId,
      subscriptionId: null,
      subscriptionIds: [],
      kind: 'cycle',
      memo: null,
      poNumber: null,
      customFields: [],
      status: 'draft',
      currency: 'USD',
      subtotal: 22517998156.85,
      discounts: [],
      disputes: [],
      gatewayRefunds: [],
      taxes: [],
      taxExemptReason: null,
      total: 22517998156.85,
      balanceApplied: 0,
      balanceCredited: 0,
      amountDue: 22517998156.85,
      amountPaid: 0,
      payments: [],
      amountReduced: 0,
      excessTo: 'balance',
      refunds: [],
      amountCredited: 0,
      lines: [
        expect.objectContaining({ id: 'line_a' }),
        expect.objectContaining({ id: 'line_b', metricId: 'met_1' }),
      ],
      creditsUsed: [],
      paymentRetries: null,
      periodStart: '2026-01-01T00:00:00.000Z',
      periodEnd: '2026-02-01T00:00:00.000Z',
      createdAt: expect.stringMatching(/Z$/),
      opensAt: expect.stringMatching(/Z$/),
      issuedAt: null,
      dueDate: '2026-03-03T00:00:00.000Z',
      paidAt: null,
      voidedAt: null,
      voidReason: null,
    });
    expect(text).toContain('"quantity":9007199254740993');
    expect(text).toContain('"unitPrice":0.0000025');
    expect(text).toContain('"amount":20.00');
  });

  it('does not know what is not there, and nothing of other workspaces', async () => {
    const id = await draft(await customerWithCard(workspace));
    const other = await system.workspace();
    for (const path of ['', '/payment-attempts', '/link', '/pdf', '/xml']) {
      await other.http.get(`/v1/invoices/${id}${path}`).expect(404);
      await http.get(`/v1/invoices/inv_none${path}`).expect(404);
      await http.get(`/v1/invoices/%00${path}`).expect(404);
    }
    for (const action of ['approve', 'pay', 'void']) {
      const { body } = await other.http.post(`/v1/invoices/${id}/${action}`).expect(404);
      expect(body.code).toBe('invoice_not_found');
    }
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual(['InvoiceCreated']);
  });
});

describe('/v1/billing-settings', () => {
  it('are the defaults until they are changed, and stay with the invoices that are there', async () => {
    const defaults = {
      autoApprove: true,
      autoCollect: true,
      gracePeriodHours: 0,
      skipZeroInvoices: false,
      entitledWhilePastDue: true,
      timezone: null,
      netDays: 30,
      prorationBasis: 'time',
      invoiceNumberPrefix: 'INV',
      invoiceNumberFormat: 'prefix-number',
      creditNoteNumberPrefix: 'CN',
      invoiceFooter: null,
      language: 'en',
      printZeroLines: false,
      qrBillLanguage: null,
      paperSize: 'a4',
      logo: null,
      brandColor: null,
      invoiceGrouping: 'subscription',
      balancePaysOpenInvoices: true,
      carrySmallAmounts: false,
      seller: null,
      eInvoicing: 'none',
      defaultTaxRateIds: [],
      customerEmails: ['invoice', 'receipt', 'payment_failed', 'credit_note'],
      emailSenderName: null,
      emailReplyTo: null,
      sandboxEmailAllowlist: [],
    };
    expect((await http.put('/v1/billing-settings', {}).expect(200)).body).toEqual(defaults);
    expect((await http.get('/v1/billing-settings').expect(200)).body).toEqual(defaults);
    const customerId = await customerWithCard(workspace);
    const before = await draft(customerId);
    const changes = {
      netDays: 14,
      invoiceNumberPrefix: 'ACME',
      invoiceNumberFormat: 'prefix-year-number',
      invoiceFooter: 'Acme Inc., HRB 1234',
    };
    const { body } = await http.put('/v1/billing-settings', changes).expect(200);
    expect(body).toEqual({ ...defaults, ...changes });
    const after = await draft(customerId);
    const open = async (id: string) => (await http.post(`/v1/invoices/${id}/approve`).expect(200)).body;
    expect(await open(before)).toMatchObject({ number: 'INV-000001' });
    const opened = await open(after);
    expect(opened.number).toBe(`ACME-${opened.issuedAt.slice(0, 4)}-000002`);
    expect(Date.parse(opened.dueDate) - Date.parse(opened.issuedAt)).toBe(14 * 86_400_000);
  });

  it('refuse what cannot be, and whoever may not', async () => {
    for (const [field, value] of Object.entries({
      netDays: -1,
      invoiceNumberPrefix: 'A/B',
      invoiceNumberFormat: '{n}',
      autoApprove: 'yes',
      invoiceFooter: '',
      language: 'it',
      seller: 'Contoso',
      'seller.taxId': { taxId: 'DE1' },
      'seller.bankAccount.iban': { bankAccount: { iban: 'DE89 3704 0044 0532 0130 01' } },
      'seller.bankAccount.bic': { bankAccount: { iban: 'DE89370400440532013000', bic: 'COBA' } },
      'seller.address.country': { address: { line1: 'A', city: 'B', country: 'XX' } },
      'seller.address': { address: 'Berlin' },
      eInvoicing: 'facturx',
      paperSize: 'a5',
      logo: `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`,
      brandColor: 'red',
    })) {
      const { body } = await http.put('/v1/billing-settings', { [field.split('.')[0]!]: value }).expect(400);
      expect(body.details).toEqual([expect.objectContaining({ field })]);
    }
  });
});

describe('GET /v1/invoices', () => {
  it('pages through them, newest first, and counts them all', async () => {
    const customerId = await customerWithCard(workspace);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await draft(customerId));
    const idsOf = async (query: string) => {
      const { body } = await http.get(`/v1/invoices${query}`).expect(200);
      return {
        ids: (body.data as { id: string }[]).map(({ id }) => id),
        hasMore: body.hasMore as boolean,
        pagination: body.pagination,
      };
    };
    expect(await idsOf('')).toEqual({ ids, hasMore: false, pagination: { total: 5, page: 1, pageSize: 20 } });
    expect(await idsOf('?page=2&page_size=2')).toEqual({
      ids: ids.slice(2, 4),
      hasMore: true,
      pagination: { total: 5, page: 2, pageSize: 2 },
    });
    expect(await idsOf('?limit=2&offset=3')).toEqual({
      ids: ids.slice(3),
      hasMore: false,
      pagination: { total: 5, page: 2, pageSize: 2 },
    });
    expect(await idsOf('?page=9')).toEqual({
      ids: [],
      hasMore: false,
      pagination: { total: 5, page: 9, pageSize: 20 },
    });
  });

  it('counts the invoices of the moment at which it lists them', async () => {
    const customerId = await customerWithCard(workspace);
    await draft(customerId);
    const find = Repository.prototype.find;
    const finding = jest.spyOn(Repository.prototype, 'find').mockImplementation(async function (
      this: Repository<ObjectLiteral>,
      ...options
    ) {
      const rows = await find.apply(this, options);
      if (this.metadata.tableName !== 'invoices') return rows;
      finding.mockRestore();
      await draft(customerId);
      return rows;
    });
    const { body } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect([body.data.length, body.pagination.total]).toEqual([1, 1]);
    const { body: later } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect([later.data.length, later.pagination.total]).toEqual([2, 2]);
  });

  it('filters by status and by customer, and never shows another workspace', async () => {
    const [one, two] = [await customerWithCard(workspace), await customerWithCard(workspace)];
    const drafted = await draft(one);
    const paid = await draft(two);
    await http.post(`/v1/invoices/${paid}/pay`).expect(200);
    const total = async (client: Client, query: string) =>
      ((await client.get(`/v1/invoices?${query}`).expect(200)).body.pagination as { total: number }).total;
    const { body } = await http.get('/v1/invoices?status=draft').expect(200);
    expect(body.data).toMatchObject([{ id: drafted, status: 'draft' }]);
    expect(await total(http, `customer_id=${two}`)).toBe(1);
    expect(await total(http, `customer_id=${two}&status=draft`)).toBe(0);
    expect(await total(http, 'status=uncollectible')).toBe(0);
    const other = await system.workspace();
    expect(await total(other.http, `customer_id=${two}`)).toBe(0);
  });

  it('finds those of a subscription, of several in one too, the one of a number, and those of a time', async () => {
    const customerId = await customerWithCard(workspace);
    const parts = ['sub_a', 'sub_b'].map((subscriptionId) => ({
      subscriptionId,
      planName: null,
      periodStart: '2026-01-01T00:00:00.000Z',
      periodEnd: '2026-02-01T00:00:00.000Z',
      readings: [],
    }));
    const of = async (change: object) => {
      const id = await draft(customerId, change);
      return (await http.post(`/v1/invoices/${id}/approve`).expect(200)).body as InvoiceView;
    };
    await http.put('/v1/sandbox/clock', { now: '2026-02-10T00:00:00Z' }).expect(200);
    const a = await of({ subscriptionId: 'sub_a' });
    await http.put('/v1/sandbox/clock', { now: '2026-03-10T00:00:00Z' }).expect(200);
    const both = await of({ parts });
    const unissued = await draft(customerId, { subscriptionId: 'sub_b' });
    const found = async (query: string) => {
      const { body } = await http.get(`/v1/invoices?${query}`).expect(200);
      expect(body.pagination.total).toBe(body.data.length);
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    expect(await found('subscription_id=sub_a')).toEqual([both.id, a.id]);
    expect(await found('subscription_id=sub_b')).toEqual([unissued, both.id]);
    expect(await found('subscription_id=sub_b&status=draft')).toEqual([unissued]);
    expect(await found('subscription_id=sub_c')).toEqual([]);
    expect(await found(`number=${a.number}`)).toEqual([a.id]);
    expect(await found(`number=${a.number}&customer_id=other`)).toEqual([]);
    expect(await found('number=INV-000099')).toEqual([]);
    expect(await found('number=nothing')).toEqual([]);
    expect(await found('issued_from=2026-02-10&issued_before=2026-03-10')).toEqual([a.id]);
    expect(await found('issued_from=2026-03-01')).toEqual([both.id]);
    expect(await found('issued_before=2026-03-10T00:00:00.001Z')).toEqual([both.id, a.id]);
    const other = await system.workspace();
    const { body } = await other.http.get(`/v1/invoices?number=${a.number}`).expect(200);
    expect(body).toEqual({ data: [], hasMore: false, pagination: { total: 0, page: 1, pageSize: 20 } });
    const wrong = await http.get('/v1/invoices?issued_from=2026-03-01&issued_before=2026-02-01').expect(400);
    expect(wrong.body.details[0].field).toBe('issued_before');
  });

  it('names the parameter that is wrong', async () => {
    const wrong: Record<string, string> = {
      'status=done': 'status',
      'page=0': 'page',
      'page=x': 'page',
      'page_size=101': 'page_size',
      'limit=0': 'limit',
      'offset=-1': 'offset',
      'page=1&offset=2': 'offset',
      'customer_id=a%20b': 'customer_id',
      'sort=asc': 'sort',
    };
    for (const [query, field] of Object.entries(wrong)) {
      const { body } = await http.get(`/v1/invoices?${query}`).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
  });
});

describe('POST /v1/invoices/:id/approve', () => {
  it('opens a draft, once', async () => {
    const id = await draft(await customerWithCard(workspace));
    const { body } = await http.post(`/v1/invoices/${id}/approve`).expect(200);
    expect(body).toMatchObject({
      id,
      status: 'open',
      number: 'INV-000001',
      issuedAt: expect.stringMatching(/Z$/),
    });
    expect((await http.get(`/v1/invoices/${id}`)).body).toEqual(body);
    const again = await http.post(`/v1/invoices/${id}/approve`).expect(409);
    expect(again.body.code).toBe('invoice_not_draft');
  });

  it('numbers a workspace’s invoices without a gap, whatever else is tried', async () => {
    const customerId = await customerWithCard(workspace);
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await draft(customerId));
    const [a, b, c, d] = ids as [string, string, string, string];
    await http.post(`/v1/invoices/${a}/approve`).expect(200);
    await http.post(`/v1/invoices/${a}/approve`).expect(409);
    await http.post(`/v1/invoices/${b}/void`).expect(200);
    await http.post(`/v1/invoices/${b}/approve`).expect(409);
    await Promise.all([c, d].map((id) => http.post(`/v1/invoices/${id}/approve`).expect(200)));
    const { body } = await http.get('/v1/invoices').expect(200);
    const numbers = (body.data as { number: string | null }[]).map(({ number }) => number);
    expect(numbers.toSorted()).toEqual(['INV-000001', 'INV-000002', 'INV-000003', null]);
  });

  it('pays an invoice over nothing without a card', async () => {
    const customerId = await customerWithCard(workspace, null);
    const id = await draft(customerId, { lines: [] });
    const { body } = await http.post(`/v1/invoices/${id}/approve`).expect(200);
    expect(body).toMatchObject({ status: 'paid', total: 0, amountDue: 0, amountPaid: 0 });
    expect((await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200)).body).toEqual({
      data: [],
      hasMore: false,
    });
  });
});

describe('POST /v1/invoices/:id/pay', () => {
  it('charges the card on file and lists the attempt', async () => {
    const id = await draft(await customerWithCard(workspace));
    await http.post(`/v1/invoices/${id}/approve`).expect(200);
    const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(200);
    expect(body).toMatchObject({
      status: 'paid',
      amountDue: 0,
      amountPaid: 20,
      paidAt: expect.stringMatching(/Z$/),
    });
    const { body: attempts } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(attempts).toEqual({
      hasMore: false,
      data: [
        {
          id: expect.stringMatching(/^pay_/),
          attempt: 1,
          retry: null,
          status: 'succeeded',
          amount: 20,
          currency: 'USD',
          paymentMethodId: expect.stringMatching(/^pm_/),
          paymentMethod: 'Visa ending 4242',
          failureCode: null,
          failureMessage: null,
          createdAt: expect.stringMatching(/Z$/),
          finishedAt: expect.stringMatching(/Z$/),
        },
      ],
    });
  });

  it('opens a draft with the payment', async () => {
    const id = await draft(await customerWithCard(workspace));
    const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(200);
    expect(body).toMatchObject({ status: 'paid', number: 'INV-000001' });
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
  });

  it('refuses what is paid or void', async () => {
    const customerId = await customerWithCard(workspace);
    const [paid, voided] = [await draft(customerId), await draft(customerId)];
    await http.post(`/v1/invoices/${paid}/pay`).expect(200);
    await http.post(`/v1/invoices/${voided}/void`).expect(200);
    expect((await http.post(`/v1/invoices/${paid}/pay`).expect(400)).body.code).toBe('invoice_already_paid');
    expect((await http.post(`/v1/invoices/${voided}/pay`).expect(400)).body.code).toBe('invoice_void');
  });

  it('says how else to settle an amount that no card can pay, with and without a card', async () => {
    const lines = [lineOf({ unitPrice: '0.3', amount: '0.30' })];
    for (const [test, code] of [
      ['pm_card_visa', 'payment_declined'],
      [null, 'no_payment_method'],
    ] as const) {
      const id = await draft(await customerWithCard(workspace, test), { lines });
      if (test === null) {
        const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
        expect(body.error).toContain(
          `Approve it with POST /v1/invoices/${id}/approve. Then record a payment`,
        );
        await http.post(`/v1/invoices/${id}/approve`).expect(200);
      }
      const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
      expect(body).toMatchObject({ code });
      expect(body.error).toMatch(
        /^A card can be charged at least 0\.50 USD\. No card can pay this invoice \(amount_too_small\)/,
      );
      for (const remedy of [`/v1/invoices/${id}/payments`, 'mark-uncollectible', 'carrySmallAmounts'])
        expect(body.error).toContain(remedy);
      expect(body.error).not.toMatch(/payment-methods|paid again/);
    }
  });

  it('says that a card was declined, leaves the invoice open, and takes a good card then', async () => {
    const customerId = await customerWithCard(workspace, 'pm_card_chargeDeclinedInsufficientFunds');
    const id = await draft(customerId);
    const { body: refused } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
    expect(refused).toMatchObject({
      code: 'payment_declined',
      error: expect.stringContaining('insufficient funds'),
    });
    expect((await http.get(`/v1/invoices/${id}`)).body.status).toBe('open');
    const { body: good } = await http
      .post(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_mastercard' })
      .expect(201);
    const makeDefault = `/v1/customers/${customerId}/payment-methods/${good.id}/default`;
    expect(refused.error).not.toContain('on file');
    const { body: again } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
    expect(again.error).toMatch(
      new RegExp(`Mastercard ending 4444 is on file too; make it the default with POST ${makeDefault}$`),
    );
    await http.post(makeDefault).expect(200);
    await http.post(`/v1/invoices/${id}/pay`).expect(200);
    const { body: attempts } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(attempts.data).toMatchObject([
      { attempt: 1, status: 'failed', failureCode: 'insufficient_funds', paymentMethod: 'Visa ending 9995' },
      { attempt: 2, status: 'failed', paymentMethod: 'Visa ending 9995' },
      { attempt: 3, status: 'succeeded', failureCode: null, paymentMethod: 'Mastercard ending 4444' },
    ]);
  });

  it('is declined as often as the card says, and then succeeds', async () => {
    const customerId = await customerWithCard(workspace, 'pm_card_declineThenSucceed', { declines: 2 });
    const id = await draft(customerId);
    await http.post(`/v1/invoices/${id}/pay`).expect(409);
    await http.post(`/v1/invoices/${id}/pay`).expect(409);
    await http.post(`/v1/invoices/${id}/pay`).expect(200);
  });

  it('says that the customer must act', async () => {
    const id = await draft(await customerWithCard(workspace, 'pm_card_authenticationRequired'));
    const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
    expect(body.code).toBe('payment_action_required');
    const { body: attempts } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(attempts.data).toMatchObject([{ status: 'requires_action', finishedAt: null }]);
  });

  it('needs a card, and says how to add one', async () => {
    const customerId = await customerWithCard(workspace, null);
    const id = await draft(customerId);
    const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
    expect(body).toMatchObject({
      code: 'no_payment_method',
      error: expect.stringContaining(`POST /v1/customers/${customerId}/payment-methods`),
    });
    expect((await http.get(`/v1/invoices/${id}`)).body.status).toBe('draft');
  });

  it('takes nothing of the balance for a draft that it refuses for want of a card', async () => {
    const customerId = await customerWithCard(workspace, null);
    const id = await draft(customerId);
    const balances = system.api.get(Balances, { strict: false });
    const key = { customerId, currency: 'USD' };
    const context = await commandContextOf(system, workspace.workspaceId);
    const credit = (amount: string, sourceId: string) =>
      balances.credit(context, key, { amount, source: 'credit_note', sourceId });
    await credit('5.00', 'cn_1');
    const { body } = await http.post(`/v1/invoices/${id}/pay`).expect(409);
    expect(body.code).toBe('no_payment_method');
    expect(await balances.availableAmount(workspace.workspaceId, key)).toBe('5.00');
    // What the balance pays for needs no card.
    await credit('15.00', 'cn_2');
    const { body: paid } = await http.post(`/v1/invoices/${id}/pay`).expect(200);
    expect(paid).toMatchObject({ status: 'paid', amountDue: 0 });
    expect(await balances.availableAmount(workspace.workspaceId, key)).toBe('0.00');
  });

  it('takes no fields', async () => {
    const id = await draft(await customerWithCard(workspace));
    for (const action of ['approve', 'pay'])
      await http.post(`/v1/invoices/${id}/${action}`, { status: 'paid' }).expect(400);
    await http.post(`/v1/invoices/${id}/void`, { total: 0 }).expect(400);
    expect((await http.get(`/v1/invoices/${id}`)).body.status).toBe('draft');
  });

  it('gives the same answer to the same Idempotency-Key, and charges once', async () => {
    const id = await draft(await customerWithCard(workspace));
    const pay = () => http.post(`/v1/invoices/${id}/pay`).set('idempotency-key', 'pay-once');
    const [first, second] = await Promise.all([pay(), pay()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect((await http.get(`/v1/invoices/${id}/payment-attempts`)).body.data).toHaveLength(1);
  });

  it('is for roles that may write invoices', async () => {
    const id = await draft(await customerWithCard(workspace));
    const { body: key } = await workspace.session
      .post('/v1/api-keys', { name: 'eyes', role: 'viewer' })
      .expect(201);
    const asViewer = (path: string) => http.post(path).set('x-api-key', key.key as string);
    for (const action of ['approve', 'pay', 'void'])
      await asViewer(`/v1/invoices/${id}/${action}`).expect(403);
    await http
      .get(`/v1/invoices/${id}`)
      .set('x-api-key', key.key as string)
      .expect(200);
  });
});

describe('POST /v1/invoices/:id/void', () => {
  it('voids a draft or an open invoice, once', async () => {
    const id = await draft(await customerWithCard(workspace));
    await http.post(`/v1/invoices/${id}/approve`).expect(200);
    const { body } = await http.post(`/v1/invoices/${id}/void`, { reason: 'duplicate' }).expect(200);
    expect(body).toMatchObject({ status: 'void', amountDue: 0, voidReason: 'duplicate' });
    expect((await http.post(`/v1/invoices/${id}/void`).expect(400)).body.code).toBe('invoice_void');
  });

  it('does not void what is paid', async () => {
    const id = await draft(await customerWithCard(workspace));
    await http.post(`/v1/invoices/${id}/pay`).expect(200);
    expect((await http.post(`/v1/invoices/${id}/void`).expect(400)).body.code).toBe('invoice_already_paid');
  });
});

describe('GET /v1/invoices/:id/link', () => {
  it('is the same each time and cannot be guessed', async () => {
    const customerId = await customerWithCard(workspace);
    const [one, two] = [await draft(customerId), await draft(customerId)];
    const { body } = await http.get(`/v1/invoices/${one}/link`).expect(200);
    expect(body).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/i\/[A-Za-z0-9_-]{32}$/),
      expiresAt: null,
    });
    expect((await http.get(`/v1/invoices/${one}/link`)).body).toEqual(body);
    expect((await http.get(`/v1/invoices/${two}/link`)).body.url).not.toBe(body.url);
  });
});

describe('GET /v1/invoices/:id/pdf', () => {
  it('is a PDF with a name, to be shown in the browser', async () => {
    const id = await draft(await customerWithCard(workspace));
    await http.post(`/v1/invoices/${id}/approve`).expect(200);
    const { body, headers } = await http.get(`/v1/invoices/${id}/pdf`).responseType('blob').expect(200);
    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toBe('inline; filename="INV-000001.pdf"');
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
    expect(headers['content-length']).toBe(String((body as Buffer).length));
  });
});
