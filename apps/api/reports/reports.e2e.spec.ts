import { describe, expect, it } from '@jest/globals';
import { untilErased } from '../../../test/support/erasure.js';
import { advanceClock, settle, workspacePerTest } from '../../../test/support/index.js';

const { system, workspace, http, get, post, create } = workspacePerTest({ now: '2026-01-10T12:00:00Z' });

const advance = (to: string) => advanceClock(workspace, to);
const linesOf = async (path: string): Promise<string[]> => {
  const { text } = await http.get(path).expect(200);
  return text.trimEnd().split('\r\n');
};
const customer = (id: string, more: object = {}) =>
  create('/v1/customers', { id, name: `Customer ${id}`, ...more });
const address = (country: string) => ({
  address: { line1: 'Street 1', city: 'City', postalCode: '10115', country },
});
/** An invoice of one line, which is due in 14 days. */
const invoice = async (customerId: string, unitPrice: number, more: object = {}) => {
  const lines = [{ description: 'Work', unitPrice, ...more }];
  const { id } = await create('/v1/invoices', { customerId, lines, netDays: 14, currency: 'USD' });
  await settle(workspace);
  return get(`/v1/invoices/${id}`);
};
const pay = (id: string, amount: number) =>
  create(`/v1/invoices/${id}/payments`, { method: 'bank_transfer', amount, reference: 'E2E-1' });
const credit = (id: string, amount: number) =>
  create(`/v1/invoices/${id}/credit-note`, { reason: 'other', amount });
const idsOf = async (path: string): Promise<string[]> =>
  (await get(path)).data.map(({ id }: { id: string }) => id);
/** The balance of an account as the trial balance has it; debits are positive. */
const balanceOf = async (account: string, at: string): Promise<number> => {
  const { currencies } = await get(`/v1/ledger/trial-balance?at=${at}`);
  const lines = currencies.flatMap((one: { accounts: { account: string }[] }) => one.accounts);
  const own = lines.filter((line: { account: string }) => line.account === account);
  return own.reduce(
    (sum: number, { debit, credit: other }: { debit: number; credit: number }) => sum + debit - other,
    0,
  );
};

describe('GET /v1/credit-notes and GET /v1/payments', () => {
  it('list those of all invoices, newest first, with filters, in pages and as CSV', async () => {
    await customer('a');
    await customer('b');
    const [first, second] = [await invoice('a', 100), await invoice('b', 50)];
    const note = await credit(first.id, 10);
    await advance('2026-01-11T12:00:00Z');
    const other = await credit(second.id, 5);
    await post(`/v1/invoices/${second.id}/credit-notes/${other.id}/void`);

    const { data } = await get('/v1/credit-notes');
    expect(data).toMatchObject([
      {
        id: other.id,
        invoiceId: second.id,
        invoiceNumber: second.number,
        customerId: 'b',
        status: 'void',
        total: 5,
      },
      {
        id: note.id,
        number: 'CN-000001',
        invoiceId: first.id,
        invoiceNumber: first.number,
        customerId: 'a',
        status: 'issued',
        total: 10,
      },
    ]);
    const ids = (query: string) => idsOf(`/v1/credit-notes?${query}`);
    expect(await ids('customer_id=a')).toEqual([note.id]);
    expect(await ids(`invoice_id=${second.id}`)).toEqual([other.id]);
    expect(await ids('status=issued')).toEqual([note.id]);
    expect(await ids('number=CN-000002')).toEqual([other.id]);
    expect(await ids('from=2026-01-11T00:00:00Z')).toEqual([other.id]);
    expect(await ids('to=2026-01-11T00:00:00Z')).toEqual([note.id]);
    const page = await get('/v1/credit-notes?limit=1');
    expect(page).toMatchObject({ hasMore: true, data: [{ id: other.id }] });
    expect(await ids(`limit=1&after=${page.next}`)).toEqual([note.id]);
    const [header, ...lines] = await linesOf('/v1/credit-notes?format=csv');
    expect(header).toContain('id,number,invoiceId,invoiceNumber,customerId,status,reason,currency,total');
    expect(lines).toEqual([
      expect.stringContaining(`${other.id},CN-000002,${second.id},${second.number},b,void,other,USD,5.00,`),
      expect.stringContaining(`${note.id},CN-000001,${first.id},${first.number},a,issued,other,USD,10.00,`),
    ]);
  });

  it('list charges of cards and recorded payments', async () => {
    await customer('a');
    await customer('b');
    await create('/v1/customers/b/payment-methods', { type: 'test', test: 'pm_card_visa' });
    const byTransfer = await invoice('a', 100);
    await pay(byTransfer.id, 120);
    const byCard = await invoice('b', 50);

    const { data } = await get('/v1/payments');
    expect(data).toMatchObject([
      {
        invoiceId: byCard.id,
        invoiceNumber: byCard.number,
        customerId: 'b',
        method: 'gateway',
        paymentMethod: 'Visa ending 4242',
        status: 'succeeded',
        amount: 50,
        balanceCredited: 0,
        currency: 'USD',
        reference: null,
      },
      {
        invoiceId: byTransfer.id,
        customerId: 'a',
        method: 'bank_transfer',
        status: 'succeeded',
        paymentMethod: null,
        amount: 120,
        balanceCredited: 20,
        reference: 'E2E-1',
      },
    ]);
    const [card, transfer] = data.map(({ id }: { id: string }) => id);
    const ids = (query: string) => idsOf(`/v1/payments?${query}`);
    expect(await ids('method=gateway')).toEqual([card]);
    expect(await ids('customer_id=a')).toEqual([transfer]);
    await http
      .delete(`/v1/invoices/${byTransfer.id}/payments/${transfer}`, { reason: 'A mistake' })
      .expect(200);
    expect(await ids('status=reversed')).toEqual([transfer]);
    const page = await get('/v1/payments?limit=1');
    expect(await ids(`limit=1&after=${page.next}`)).toEqual([transfer]);
    const [header, ...lines] = await linesOf('/v1/payments?format=csv');
    expect(header).toContain(
      'id,invoiceId,invoiceNumber,customerId,method,paymentMethod,status,currency,amount',
    );
    expect(lines[1]).toContain(
      `${transfer},${byTransfer.id},${byTransfer.number},a,bank_transfer,,reversed,USD,120.00`,
    );
  });

  it('have nothing of another workspace', async () => {
    await customer('a');
    const { id } = await invoice('a', 100);
    await pay(id, 10);
    await credit(id, 10);
    const other = await system.workspace();
    for (const path of ['credit-notes', 'payments', 'reports/receivables/invoices', 'reports/taxes'])
      expect((await other.http.get(`/v1/${path}`).expect(200)).body.data).toEqual([]);
  });
});

describe('GET /v1/reports/receivables', () => {
  it('shows what each customer and invoice owed at any moment, as the trial balance does', async () => {
    await customer('a');
    await customer('b');
    const old = await invoice('a', 100);
    await advance('2026-02-20T12:00:00Z');
    await pay(old.id, 30);
    const recent = await invoice('a', 50);
    const paid = await invoice('b', 7);
    await pay(paid.id, 7);
    await advance('2026-03-01T12:00:00Z');
    await credit(recent.id, 20);

    const now = await get('/v1/reports/receivables/customers');
    const ages = { current: 30, days1To30: 0, days31To60: 70, days61To90: 0, over90: 0 };
    expect(now).toMatchObject({
      at: '2026-03-01T12:00:00.000Z',
      data: [{ customerId: 'a', customerName: 'Customer a', currency: 'USD', invoices: 2, ages, total: 100 }],
      totals: [{ currency: 'USD', invoices: 2, ages, total: 100 }],
    });
    const invoices = await get('/v1/reports/receivables/invoices?customer_id=a');
    expect(invoices.data).toHaveLength(2);
    expect(invoices.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          invoiceId: old.id,
          invoiceNumber: old.number,
          age: 'days31To60',
          amount: 70,
          currency: 'USD',
          dueDate: '2026-01-24T12:00:00.000Z',
          daysOverdue: 36,
        }),
        expect.objectContaining({ invoiceId: recent.id, age: 'current', daysOverdue: 0, amount: 30 }),
      ]),
    );

    // A past date: before the payment, the second invoice and the credit note.
    const past = await get('/v1/reports/receivables/invoices?at=2026-02-19');
    expect(past).toMatchObject({
      at: '2026-02-19',
      data: [{ invoiceId: old.id, amount: 100, daysOverdue: 26, age: 'days1To30' }],
      totals: [{ total: 100 }],
    });
    expect((await get('/v1/reports/receivables/customers?at=2026-01-24')).totals).toMatchObject([
      { ages: { current: 100 } },
    ]);
    for (const at of ['2026-01-09', '2026-01-10', '2026-02-20', '2026-02-28', '2026-03-01T12:00:00Z']) {
      const { totals } = await get(`/v1/reports/receivables/customers?at=${at}`);
      expect([at, totals[0]?.total ?? 0]).toEqual([at, await balanceOf('accounts_receivable', at)]);
    }

    const page = await get('/v1/reports/receivables/invoices?limit=1');
    const rest = await get(`/v1/reports/receivables/invoices?limit=1&after=${page.next}`);
    expect([...page.data, ...rest.data]).toEqual(invoices.data);
    const [header, ...lines] = await linesOf('/v1/reports/receivables/customers?format=csv');
    expect(header).toBe(
      'customerId,customerName,currency,invoices,current,days1To30,days31To60,days61To90,over90,total',
    );
    expect(lines).toEqual(['a,Customer a,USD,2,30.00,0.00,70.00,0.00,0.00,100.00']);
    expect((await linesOf('/v1/reports/receivables/invoices?format=csv'))[0]).toBe(
      'customerId,customerName,invoiceId,invoiceNumber,currency,dueDate,daysOverdue,age,amount',
    );
    expect((await get('/v1/reports/receivables/invoices?at=2027-01-01', 400)).details).toMatchObject([
      { field: 'at' },
    ]);
  });
});

describe('GET /v1/reports/taxes', () => {
  it('shows net and tax by month, country and rate; credit notes and voids subtract', async () => {
    const { id: vat } = await create('/v1/tax-rates', { name: 'VAT', percentage: 19 });
    const { id: low } = await create('/v1/tax-rates', { name: 'VAT', percentage: 7 });
    await customer('de', address('DE'));
    await customer('us', address('US'));
    const taxed = await invoice('de', 100, { taxRateIds: [vat] });
    await invoice('de', 200, { taxRateIds: [low] });
    const voided = await invoice('de', 10, { taxRateIds: [vat] });
    await invoice('us', 40);
    await advance('2026-02-10T12:00:00Z');
    await credit(taxed.id, 59.5);
    await post(`/v1/invoices/${voided.id}/void`, { reason: 'A mistake' });

    const { data } = await get('/v1/reports/taxes?from=2026-01&to=2026-02');
    const row = (month: string, country: string, percentage: number | null, net: number, tax: number) =>
      expect.objectContaining({ month, currency: 'USD', country, percentage, net, tax });
    expect(data).toEqual([
      row('2026-01', 'DE', 19, 110, 20.9),
      row('2026-01', 'DE', 7, 200, 14),
      row('2026-01', 'US', null, 40, 0),
      row('2026-02', 'DE', 19, -60, -11.4),
    ]);
    expect(data[0]).toMatchObject({ taxRateId: vat, name: 'VAT', exemption: null, documents: 2 });
    expect((await get('/v1/reports/taxes?from=2026-01&to=2026-02&country=US')).data).toHaveLength(1);

    const taxes = data.map(({ tax }: { tax: number }) => tax);
    expect(taxes.reduce((sum: number, tax: number) => sum + tax, 0)).toBeCloseTo(
      -(await balanceOf('tax_payable', '2026-02-10')),
      9,
    );
    expect(await linesOf('/v1/reports/taxes?from=2026-01&to=2026-01&country=US&format=csv')).toEqual([
      'month,currency,country,taxRateId,name,percentage,exemption,documents,net,tax',
      '2026-01,USD,US,,,,,1,40.00,0.00',
    ]);
  });

  it('subtracts prepaid credits that were taken back after their payment went back', async () => {
    const { id: vat } = await create('/v1/tax-rates', { name: 'VAT', percentage: 19 });
    await create('/v1/credit-types', { type: 'tokens', name: 'Tokens', unitPrice: 0.1, currency: 'USD' });
    await customer('a', { taxRateIds: [vat] });
    await create('/v1/customers/a/payment-methods', { type: 'test', test: 'pm_card_visa' });
    const { invoice: bought } = await create('/v1/customers/a/wallets/tokens/purchases', { credits: 1000 });
    await settle(workspace);
    expect((await get('/v1/reports/taxes')).data).toMatchObject([{ taxRateId: vat, net: 100, tax: 19 }]);
    await create('/v1/sandbox/refunds', { invoiceId: bought.id });
    await settle(workspace);
    expect((await get('/v1/reports/taxes')).data).toMatchObject([
      { taxRateId: vat, name: 'VAT', percentage: 19, documents: 2, net: 0, tax: 0 },
    ]);
    expect(await balanceOf('tax_payable', '2026-01-10')).toBeCloseTo(0, 9);
  });
});

describe('the reports after the erasure of a customer', () => {
  it('have the same amounts, without the name and the country', async () => {
    const { id: vat } = await create('/v1/tax-rates', { name: 'VAT', percentage: 19 });
    await customer('de', address('DE'));
    const { id } = await invoice('de', 100, { taxRateIds: [vat] });
    await advance('2026-01-20T12:00:00Z');
    await pay(id, 119);
    const receivables = '/v1/reports/receivables/invoices?at=2026-01-15';
    expect((await get(receivables)).data).toMatchObject([{ customerName: 'Customer de', amount: 119 }]);
    expect((await get('/v1/reports/taxes')).data).toMatchObject([{ country: 'DE', net: 100, tax: 19 }]);

    await http.post('/v1/customers/de/erase', { reason: 'Ticket 1', force: true }).expect(202);
    await untilErased(system, workspace, 'de');
    expect((await get(receivables)).data).toMatchObject([
      { customerId: 'de', customerName: null, invoiceId: id, amount: 119, currency: 'USD' },
    ]);
    expect((await get('/v1/reports/taxes')).data).toMatchObject([
      { country: null, taxRateId: vat, net: 100, tax: 19 },
    ]);
    expect((await get('/v1/payments')).data).toMatchObject([{ customerId: 'de', amount: 119 }]);
  });
});

describe('the reports on customers with several currencies', () => {
  it('add up each currency for itself, with its own decimals', async () => {
    await customer('a');
    await invoice('a', 100);
    const lines = [{ description: 'Work', unitPrice: 500 }];
    await create('/v1/invoices', { customerId: 'a', lines, netDays: 14, currency: 'JPY' });
    await settle(workspace);
    const { data, totals } = await get('/v1/reports/receivables/customers');
    const [yen, dollars] = [
      { currency: 'JPY', invoices: 1, total: 500 },
      { currency: 'USD', invoices: 1, total: 100 },
    ];
    expect(data).toMatchObject([yen, dollars]);
    expect(totals).toMatchObject([yen, dollars]);
    expect((await get('/v1/reports/receivables/invoices?currency=JPY')).totals).toMatchObject([yen]);
    expect((await linesOf('/v1/reports/receivables/customers?format=csv')).slice(1)).toEqual([
      'a,Customer a,JPY,1,500,0,0,0,0,500',
      'a,Customer a,USD,1,100.00,0.00,0.00,0.00,0.00,100.00',
    ]);
    expect((await linesOf('/v1/reports/taxes?format=csv')).slice(1)).toEqual([
      '2026-01,JPY,,,,,,1,500,0',
      '2026-01,USD,,,,,,1,100.00,0.00',
    ]);
  });
});
