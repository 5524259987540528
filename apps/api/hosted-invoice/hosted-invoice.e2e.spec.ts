import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createInvoice,
  customerWithCard,
  eventsOf,
  jumpClock,
  lineOf,
  untilEvent,
} from '../../../test/support/invoicing.js';
import { samplePng } from '../../../test/support/sample-png.js';
import {
  clientOf,
  createPool,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;
/** A browser without a credential. */
let visitor: Client;

beforeAll(async () => {
  system = await startSystem();
  // The visitor pays here, not collection.
  await system.saga.close();
  visitor = clientOf(system.url);
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace({ companyName: 'Contoso Cloud Services' });
  http = workspace.http;
});

/** An open invoice's id and the path of its page. */
async function hosted(
  test: string | null = 'pm_card_visa',
  { approve = true, name = 'Northwind Ltd', lines = [lineOf()] } = {},
): Promise<{ id: string; path: string }> {
  const id = await createInvoice(system, workspace, await customerWithCard(workspace, test, { name }), {
    lines,
  });
  if (approve) await http.post(`/v1/invoices/${id}/approve`).expect(200);
  const { body } = await http.get(`/v1/invoices/${id}/link`).expect(200);
  return { id, path: new URL(body.url as string).pathname };
}

const page = async (path: string) => (await visitor.get(path).expect(200)).text;
/** Sends the page's form, as a browser does. */
const submit = (path: string) => visitor.post(path).type('form').send('');

describe('the hosted page', () => {
  it('shows the invoice to whoever has the link', async () => {
    const { path } = await hosted();
    const { text, headers } = await visitor.get(path).expect(200);
    // 192 random bits, and no time as an id has.
    expect(Buffer.from(/^\/i\/([\w-]{32})$/.exec(path)![1]!, 'base64url')).toHaveLength(24);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    expect(text).toContain('Contoso Cloud Services');
    expect(text).toContain('Northwind Ltd');
    expect(text).toContain('INV-000001');
    expect(text).toContain('<button>Pay $20.00</button>');
  });

  it('is a friendly 404 for a token with control characters too', async () => {
    for (const answer of [
      await visitor.get('/i/%00').expect(404),
      await visitor.get('/i/%00/pdf').expect(404),
      await submit('/i/%0a/pay').expect(404),
    ])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('is a friendly 404 for a token that opens nothing', async () => {
    for (const token of ['nope', 'A'.repeat(32), '%00', '..%2F..%2Fetc', "'; DROP TABLE x; --"]) {
      for (const action of ['', '/pdf']) {
        const { text, headers } = await visitor.get(`/i/${encodeURI(token)}${action}`).expect(404);
        if (token === '%00') continue;
        expect(headers['content-type']).toBe('text/html; charset=utf-8');
        expect(headers['referrer-policy']).toBe('no-referrer');
        expect(text).toContain('This invoice link does not work');
        expect(text).not.toContain(token);
      }
    }
    await submit(`/i/${'A'.repeat(32)}/pay`).expect(404);
    const { text } = await visitor.get('/i/nope').set('Accept-Language', 'ja,en;q=0.5').expect(404);
    expect(text).toContain('<html lang="ja">');
    expect(text).toContain('この請求書のリンクは無効です');
  });

  it('pays with the card on file and says so', async () => {
    const { id, path } = await hosted();
    const { headers } = await submit(`${path}/pay`).expect(303);
    expect(new URL(headers['location']!, `${system.url}${path}/pay`).pathname).toBe(path);
    const after = await page(path);
    expect(after).toMatch(/Paid on \d+ \w+ \d{4} with Visa ending 4242/);
    expect(after).not.toContain('<form');
    expect((await http.get(`/v1/invoices/${id}`)).body.status).toBe('paid');
  });

  it('charges once when the form is sent twice at the same moment', async () => {
    const { id, path } = await hosted();
    const pool = createPool(system.database);
    const holder = await pool.connect();
    await holder.query('BEGIN; LOCK TABLE payments.sandbox_charges IN SHARE ROW EXCLUSIVE MODE');
    const first = submit(`${path}/pay`).then((answer) => answer);
    await untilEvent(system, workspace.workspaceId, id, 'PaymentStarted');
    await submit(`${path}/pay`).expect(303);
    expect(await page(path)).toContain('being processed');
    await holder.query('ROLLBACK');
    expect((await first).status).toBe(303);
    await submit(`${path}/pay`).expect(303);
    holder.release();
    await pool.end();
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
  });

  it('says that a card was declined and lets the customer try again', async () => {
    const { path } = await hosted('pm_card_chargeDeclined');
    await submit(`${path}/pay`).expect(303);
    const after = await page(path);
    expect(after).toContain('The payment with Visa ending 0002 did not go through: The card was declined.');
    expect(after).toContain('<button>Try this card again</button>');
    await submit(`${path}/pay`).expect(303);
    expect(await page(path)).toContain('This was attempt 2, on ');
  });

  it('says that the invoice is overdue', async () => {
    const { path } = await hosted();
    expect(await page(path)).not.toContain('overdue since');
    await jumpClock(system, workspace, '2099-01-01T00:00:00.000Z');
    expect(await page(path)).toContain('overdue since');
  });

  it('asks for the confirmation that the bank wants, and goes on with it', async () => {
    const { id, path } = await hosted('pm_card_authenticationRequired');
    await submit(`${path}/pay`).expect(303);
    expect(await page(path)).toContain('<button>Confirm payment of $20.00</button>');
    await submit(`${path}/confirm`).expect(303);
    expect(await page(path)).toContain('with Visa ending 3184. Thank you.');
    await submit(`${path}/confirm`).expect(303);
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual([
      'InvoiceCreated',
      'InvoiceOpened',
      'PaymentStarted',
      'PaymentActionRequired',
      'PaymentConfirmed',
      'PaymentSucceeded',
      'InvoicePaid',
    ]);
    const { body } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(body.data).toMatchObject([{ attempt: 1, status: 'succeeded', failureCode: null }]);
  });

  it('cannot be used to pay a draft, a void invoice, or one without a card', async () => {
    const draft = await hosted('pm_card_visa', { approve: false });
    const bare = await hosted(null);
    const voided = await hosted();
    await http.post(`/v1/invoices/${voided.id}/void`).expect(200);
    const says = {
      draft: 'This is a draft.',
      bare: 'Pay $20.00 by card',
      voided: 'There is nothing to pay.',
    };
    for (const [{ id, path }, text] of [
      [draft, says.draft],
      [bare, says.bare],
      [voided, says.voided],
    ] as const) {
      const html = await page(path);
      expect(html).toContain(text);
      expect(html).not.toMatch(/action="[^"]*\/(pay|confirm)"/);
      if (id !== bare.id) expect(html).not.toContain('<form');
      await submit(`${path}/pay`).expect(303);
      await submit(`${path}/confirm`).expect(303);
      expect(await eventsOf(system, workspace.workspaceId, id)).not.toContain('PaymentStarted');
    }
  });

  const PAID = ['InvoiceCreated', 'InvoiceOpened', 'PaymentStarted', 'PaymentSucceeded', 'InvoicePaid'];
  const cardsOf = async (invoiceId: string) => {
    const { body: invoice } = await http.get(`/v1/invoices/${invoiceId}`).expect(200);
    const { body } = await http.get(`/v1/customers/${invoice.customerId}/payment-methods`).expect(200);
    return (body.data as { test: string; default: boolean }[]).map((card) => [card.test, card.default]);
  };
  const enterCard = (path: string, test: string) => visitor.post(`${path}/card`).type('form').send({ test });

  it('takes a card from a customer without one, and pays with it', async () => {
    const { id, path } = await hosted(null);
    await enterCard(path, 'pm_card_visa').expect(303);
    expect(await page(path)).toMatch(/Paid on \d+ \w+ \d{4} with Visa ending 4242/);
    await enterCard(path, 'pm_card_visa').expect(303);
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual(PAID);
    expect(await cardsOf(id)).toEqual([['pm_card_visa', true]]);
  });

  it('takes another card after a decline, which becomes the default', async () => {
    const { id, path } = await hosted('pm_card_chargeDeclined');
    await submit(`${path}/pay`).expect(303);
    expect(await page(path)).toContain('<button>Pay $20.00 with another card</button>');
    await enterCard(path, 'pm_card_chargeDeclinedInsufficientFunds').expect(303);
    expect(await page(path)).toContain('The card has insufficient funds.');
    await enterCard(path, 'pm_card_visa').expect(303);
    expect(await page(path)).toContain('with Visa ending 4242');
    expect(await cardsOf(id)).toEqual([
      ['pm_card_chargeDeclined', false],
      ['pm_card_chargeDeclinedInsufficientFunds', false],
      ['pm_card_visa', true],
    ]);
    const { body } = await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
    expect(body.data).toMatchObject([{ status: 'failed' }, { status: 'failed' }, { status: 'succeeded' }]);
  });

  it('takes no payment of an amount that no card can pay, and says why', async () => {
    const line = lineOf({ unitPrice: '0.3', amount: '0.30' });
    for (const test of ['pm_card_visa', null]) {
      const { id, path } = await hosted(test, { lines: [line] });
      const html = await page(path);
      expect(html).toContain('This amount cannot be paid by card. A card can be charged at least $0.50.');
      expect(html).not.toContain('<form');
      const cards = await cardsOf(id);
      await submit(`${path}/pay`).expect(303);
      await enterCard(path, 'pm_card_visa').expect(303);
      expect(await eventsOf(system, workspace.workspaceId, id)).not.toContain('PaymentStarted');
      expect(await cardsOf(id)).toEqual(cards);
    }
  });

  it('takes no card that it does not offer, and none for an invoice that owes nothing', async () => {
    const [bare, draft, voided] = [
      await hosted(null),
      await hosted(null, { approve: false }),
      await hosted(null),
    ];
    await http.post(`/v1/invoices/${voided.id}/void`).expect(200);
    for (const [{ id, path }, test] of [
      [bare, 'pm_card_declineThenSucceed'],
      [bare, 'toString'],
      [bare, ''],
      [draft, 'pm_card_visa'],
      [voided, 'pm_card_visa'],
    ] as const) {
      await enterCard(path, test).expect(303);
      expect(await cardsOf(id)).toEqual([]);
    }
    await enterCard(`/i/${'A'.repeat(32)}`, 'pm_card_visa').expect(404);
  });

  it('charges once and adds one card when the form of a card is sent twice at the same moment', async () => {
    const { id, path } = await hosted(null);
    const answers = await Promise.all([enterCard(path, 'pm_card_visa'), enterCard(path, 'pm_card_visa')]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(await page(path)).toContain('with Visa ending 4242');
    expect(await eventsOf(system, workspace.workspaceId, id)).toEqual(PAID);
    expect(await cardsOf(id)).toEqual([['pm_card_visa', true]]);
  });

  it('charges no other amount than the one that it showed, and says so', async () => {
    const [known, bare] = [await hosted(), await hosted(null)];
    for (const { id } of [known, bare])
      await http.post(`/v1/invoices/${id}/credit-note`, { amount: 5, reason: 'other' }).expect(201);
    const shown = { amount: '20.00', test: 'pm_card_visa' };
    for (const path of [`${known.path}/pay`, `${bare.path}/card`]) {
      const { headers } = await visitor.post(path).type('form').send(shown).expect(303);
      const { pathname, search } = new URL(headers['location']!, `${system.url}${path}`);
      const html = await page(`${pathname}${search}`);
      expect(html).toContain('The amount of this invoice has changed, so nothing was charged.');
      expect(html).toContain('name="amount" value="15.00"');
    }
    for (const { id } of [known, bare])
      expect(await eventsOf(system, workspace.workspaceId, id)).not.toContain('PaymentStarted');
    expect(await cardsOf(bare.id)).toEqual([]);
    const now = { amount: '15.00', test: 'pm_card_visa' };
    for (const [path, action] of [
      [known.path, 'pay'],
      [bare.path, 'card'],
    ] as const) {
      await visitor.post(`${path}/${action}`).type('form').send(now).expect(303);
      expect(await page(path)).toContain('with Visa ending 4242');
    }
  });

  it('takes ten cards by one link, and then says when to try again', async () => {
    const { id, path } = await hosted(null);
    for (let card = 0; card < 10; card += 1) await enterCard(path, 'pm_card_chargeDeclined').expect(303);
    const { text, headers } = await enterCard(path, 'pm_card_visa').expect(429);
    expect(text).toContain('Please try again later.');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(await page(path)).toContain('with another card');
    expect(await cardsOf(id)).toHaveLength(10);
  });

  it('has the invoice as PDF', async () => {
    const { path } = await hosted();
    const { body, headers } = await visitor.get(`${path}/pdf`).responseType('blob').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline; filename="INV-000001.pdf"',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('has a receipt once the invoice is paid', async () => {
    const { id, path } = await hosted();
    const { text } = await visitor.get(`${path}/receipt`).set('Accept-Language', 'ja').expect(404);
    expect(text).toContain('<html lang="en">');
    const { body: refusal } = await http.get(`/v1/invoices/${id}/receipt`).expect(409);
    expect(refusal).toMatchObject({ code: 'not_paid' });
    await submit(`${path}/pay`).expect(303);
    const named = 'inline; filename="INV-000001-receipt.pdf"';
    const receipt = await visitor.get(`${path}/receipt`).responseType('blob').expect(200);
    expect(receipt.headers).toMatchObject({ 'content-disposition': named, 'cache-control': 'no-store' });
    const own = await http.get(`/v1/invoices/${id}/receipt`).responseType('blob').expect(200);
    expect(own.headers).toMatchObject({ 'content-type': 'application/pdf', 'content-disposition': named });
    for (const { body } of [receipt, own]) expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('has the credit notes of the invoice, and of no other', async () => {
    const { id, path } = await hosted();
    const credit = { amount: 5, reason: 'other' };
    const { body: note } = await http.post(`/v1/invoices/${id}/credit-note`, credit).expect(201);
    const pdfPath = /href="[^"/]+(\/credit-notes\/[^"]+\/pdf)">(CN-\d+) \(PDF\)</.exec(await page(path));
    expect(pdfPath?.slice(1)).toEqual([`/credit-notes/${note.id}/pdf`, note.number]);
    const { body, headers } = await visitor.get(`${path}${pdfPath![1]}`).responseType('blob').expect(200);
    expect(headers).toMatchObject({
      'content-disposition': `inline; filename="${note.number}.pdf"`,
      'cache-control': 'no-store',
    });
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
    const other = await hosted();
    await visitor.get(`${other.path}${pdfPath![1]}`).expect(404);
  });

  it('shows the purchase order and the fields that the customer wants to read', async () => {
    const wanted = { poNumber: 'PO-1', customFields: [{ name: 'Cost center', value: '<4711>' }] };
    const { body: customer } = await http.post('/v1/customers', { name: 'N', ...wanted }).expect(201);
    expect(customer).toMatchObject(wanted);
    const lines = [{ description: 'Setup', unitPrice: 5 }];
    const body = { customerId: customer.id as string, lines, draft: true };
    const { body: invoice } = await http.post('/v1/invoices', body).expect(201);
    expect(invoice).toMatchObject(wanted);
    const own = { poNumber: 'PO-2', customFields: [] };
    expect((await http.post('/v1/invoices', { ...body, ...own }).expect(201)).body).toMatchObject(own);
    const { body: link } = await http.get(`/v1/invoices/${invoice.id}/link`).expect(200);
    const html = await page(new URL(link.url as string).pathname);
    expect(html).toMatch(/PO number<\/dt><dd dir="auto">PO-1</);
    expect(html).toMatch(/Cost center<\/dt><dd dir="auto">&lt;4711&gt;</);
    await http.patch(`/v1/customers/${customer.id}`, { poNumber: null, customFields: [] }).expect(200);
    const { body: without } = await http.post('/v1/invoices', body).expect(201);
    expect(without).toMatchObject({ poNumber: null, customFields: [] });
    const field = { name: 'Cost center', value: '4711' };
    const refused: unknown[] = [
      null,
      {},
      'Cost center',
      [[]],
      [{ name: 'a' }],
      [{ ...field, more: 1 }],
      [{ ...field, value: 4711 }],
      [{ ...field, name: 'a\nb' }],
      [{ ...field, value: ' ' }],
      [{ ...field, value: 'x'.repeat(141) }],
      Array.from({ length: 5 }, () => field),
    ];
    for (const customFields of refused) {
      const { body: refusal } = await http.post('/v1/customers', { name: 'N', customFields }).expect(400);
      expect(refusal.details).toMatchObject([
        { field: 'customFields', message: expect.stringContaining('at most 4 objects {"name"') },
      ]);
    }
  });

  it("has the workspace's logo and color, on invoices too that were made before", async () => {
    const { id, path } = await hosted();
    const brand = {
      logo: `data:image/png;base64,${samplePng(40, 10).toString('base64')}`,
      brandColor: '#0b5fff',
    };
    const { body: settings } = await http.put('/v1/billing-settings', brand).expect(200);
    expect(settings).toMatchObject(brand);
    const html = await page(path);
    const [, shown] = /<img class="logo" src="([^"]+)"/.exec(html)!;
    expect(shown!.replaceAll('&#x3D;', '=')).toBe(brand.logo);
    expect(html).toContain('--brand: #0b5fff;');
    const { body: pdf } = await http.get(`/v1/invoices/${id}/pdf`).responseType('blob').expect(200);
    expect((pdf as Buffer).toString('latin1')).toContain('/Subtype /Image');
  });

  it('shows names as text, whatever they are', async () => {
    const { path } = await hosted('pm_card_visa', { name: '<script>alert(1)</script>' });
    const html = await page(path);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toContain('<script');
  });

  it('is the only place where forms are taken', async () => {
    const form = await http.post('/v1/customers').type('form').send('name=Ada').expect(415);
    expect(form.body.code).toBe('unsupported_media_type');
  });
});
