import { describe, expect, it } from '@jest/globals';
import { readCii, readUbl, violations } from '../support/en16931/index.js';
import { advanceClock, createMetric, use, workspacePerTest } from '../support/index.js';
import { verificationOf } from '../support/ledger-verification.js';

/*
 * Several tax rates on one invoice, from the price to the ledger. The amounts are worked out by hand. The last test
 * verifies the whole log.
 */

const { system, workspace, http, get, post, create, newestInvoice } = workspacePerTest();
const seller = {
  legalName: 'Contoso GmbH',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxId: 'DE123456789',
};
const northwind = {
  id: 'north',
  name: 'Northwind',
  currency: 'EUR',
  address: { line1: '1 rue de la Paix', city: 'Paris', postalCode: '75002', country: 'FR' },
};

describe('several tax rates on one invoice', () => {
  it('are those of its prices, each with its own base, on preview, invoice, page, e-invoice and books', async () => {
    const [full, reduced] = [await vat(19), await vat(7)];
    await http.put('/v1/billing-settings', { defaultTaxRateIds: [full.id], seller }).expect(200);
    const [software, books] = [
      await feePrice('Software', 100),
      await feePrice('Books', 50, { taxRateIds: [reduced.id] }),
    ];
    const plan = await create('/v1/plans', { name: 'Library', prices: [software, books] });
    await create('/v1/customers', northwind);
    const subscription = await create('/v1/subscriptions', { customerId: 'north', planId: plan.id });
    await advanceClock(workspace, '2026-01-01T00:00:01.000Z');

    const invoice = await newestInvoice('north');
    const taxes = [
      { taxRateId: full.id, name: 'VAT', percentage: 19, inclusive: false, taxable: 100, amount: 19 },
      { taxRateId: reduced.id, name: 'VAT', percentage: 7, inclusive: false, taxable: 50, amount: 3.5 },
    ];
    expect(invoice).toMatchObject({
      lines: [{ taxRateIds: [full.id] }, { taxRateIds: [reduced.id] }],
      subtotal: 150,
      taxes,
      total: 172.5,
    });
    const { body: preview } = await http
      .post(`/v1/subscriptions/${subscription.id}/invoices/compute`)
      .expect(200);
    expect(preview).toMatchObject({ taxes, total: 172.5 });
    const { body: ledger } = await http.get('/v1/ledger/trial-balance').expect(200);
    const accounts = ledger.currencies.flatMap((one: { accounts: object[] }) => one.accounts);
    for (const [rate, credit] of [
      [full, 19],
      [reduced, 3.5],
    ] as const)
      expect(accounts).toContainEqual(
        expect.objectContaining({ account: 'tax_payable', number: '2300', taxRateId: rate.id, credit }),
      );

    const { body: link } = await http.get(`/v1/invoices/${invoice.id}/link`).expect(200);
    const page = await fetch(link.url.replace('http://127.0.0.1:3000', system.url));
    expect(await page.text()).toMatch(/VAT 19% on €100\.00[^]*€19\.00[^]*VAT 7% on €50\.00[^]*€3\.50/);

    const terms = readUbl(await file(`/v1/invoices/${invoice.id}/xml`));
    expect(terms).toMatchObject({
      lines: [{ percent: '19' }, { percent: '7' }],
      breakdown: [
        { category: 'S', percent: '19', taxable: '100.00', amount: '19.00' },
        { category: 'S', percent: '7', taxable: '50.00', amount: '3.50' },
      ],
      totals: { vat: '22.50', due: '172.50' },
    });
    expect(violations(terms)).toEqual([]);
    expect(readCii(await file(`/v1/invoices/${invoice.id}/xml?format=cii`))).toEqual(terms);

    // 20.00 of the books, and 7 % of it.
    const credit = { reason: 'other', lines: [{ lineId: invoice.lines[1]!.id, amount: 20 }] };
    const note = await create(`/v1/invoices/${invoice.id}/credit-note`, credit);
    expect(note).toMatchObject({ taxes: [{ taxRateId: reduced.id, taxable: 20, amount: 1.4 }] });
    const path = `/v1/invoices/${invoice.id}/credit-notes/${note.id}/xml`;
    const credited = readUbl(await file(path), 'CreditNote');
    expect(credited).toMatchObject({
      breakdown: [{ category: 'S', percent: '7', taxable: '20.00', amount: '1.40' }],
      totals: { withVat: '21.40', due: '21.40' },
    });
    expect(violations(credited)).toEqual([]);
    expect(readCii(await file(`${path}?format=cii`))).toEqual(credited);
    // Half of the rest, 172.50 less 21.40.
    const half = await create(`/v1/invoices/${invoice.id}/credit-note`, { reason: 'other', amount: 75.55 });
    expect(half).toMatchObject({
      taxes: [
        { taxRateId: full.id, taxable: 50, amount: 9.5 },
        { taxRateId: reduced.id, taxable: 15, amount: 1.05 },
      ],
    });
  });

  it('stay with whoever has subscribed when the price changes', async () => {
    const [full, reduced] = [await vat(19), await vat(7)];
    const price = await feePrice('Books', 50, { taxRateIds: [reduced.id] });
    const plan = await create('/v1/plans', { name: 'Library', prices: [price] });
    await create('/v1/customers', { ...northwind, taxRateIds: [full.id] });
    await create('/v1/subscriptions', { customerId: 'north', planId: plan.id });
    const { body } = await http.patch(`/v1/prices/${price}`, { taxRateIds: null }).expect(200);
    expect(body).toMatchObject({ taxRateIds: null, version: 2 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    expect(await newestInvoice('north')).toMatchObject({
      taxes: [{ percentage: 7, amount: 3.5 }],
      total: 53.5,
    });
    await http.patch('/v1/customers/north', { taxExemptReason: 'Reverse charge' }).expect(200);
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    expect(await newestInvoice('north')).toMatchObject({ taxes: [], total: 50 });
  });

  it('that were paid are given back, whatever the customer pays by now', async () => {
    const [before, now] = [await vat(20), await vat(25)];
    const plan = await create('/v1/plans', { name: 'Library', prices: [await feePrice('Software', 100)] });
    const changes = { changed: { taxRateIds: [now.id] }, exempt: { taxExemptReason: 'Reverse charge' } };
    const subscriptionIds: string[] = [];
    for (const id of Object.keys(changes)) {
      await create('/v1/customers', { ...northwind, id, taxRateIds: [before.id] });
      await create(`/v1/customers/${id}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
      subscriptionIds.push((await create('/v1/subscriptions', { customerId: id, planId: plan.id })).id);
    }
    await advanceClock(workspace, '2026-01-16T12:00:00.000Z');
    for (const [id, change] of Object.entries(changes))
      await http.patch(`/v1/customers/${id}`, change).expect(200);
    for (const id of subscriptionIds) await post(`/v1/subscriptions/${id}/cancel`, { immediately: true });
    await advanceClock(workspace, '2026-01-17T00:00:00.000Z');
    // Half of 100.00, and 20 % of it.
    for (const id of Object.keys(changes))
      expect(await newestInvoice(id)).toMatchObject({
        lines: [{ amount: -50 }],
        taxes: [{ taxRateId: before.id, percentage: 20, taxable: -50, amount: -10 }],
        total: 0,
        balanceCredited: 60,
      });
  });

  it('are there for what is used while an invoice waits', async () => {
    const [full, reduced] = [await vat(19), await vat(7)];
    await http
      .put('/v1/billing-settings', { defaultTaxRateIds: [full.id], gracePeriodHours: 24 })
      .expect(200);
    const metricId = await createMetric(workspace, 'call');
    const config = { model: 'unit', unitPrice: 10, currency: 'EUR' };
    const usage = await create('/v1/prices', { name: 'Calls', metricId, cadence: 'usage_based', config });
    const books = await feePrice('Books', 50, { taxRateIds: [reduced.id], timing: 'in_arrears' });
    const plan = await create('/v1/plans', { name: 'Library', prices: [usage.id, books] });
    await create('/v1/customers', northwind);
    await create('/v1/subscriptions', { customerId: 'north', planId: plan.id });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    await use(workspace, 'north', 'call', '2026-01-15T12:00:00.000Z');
    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    const { lines, taxes, total } = await newestInvoice('north');
    expect(lines.map(({ amount }) => amount)).toEqual([10, 50]);
    expect({ taxes, total }).toMatchObject({
      taxes: [
        { percentage: 19, taxable: 10, amount: 1.9 },
        { percentage: 7, taxable: 50, amount: 3.5 },
      ],
      total: 65.4,
    });
  });

  it('are those that the lines of an invoice by hand name', async () => {
    const [full, reduced] = [await vat(19), await vat(7, { inclusive: true })];
    await create('/v1/customers', { ...northwind, taxRateIds: [full.id] });
    const lines = [
      { description: 'Work', unitPrice: 100 },
      { description: 'Book', unitPrice: 10.7, taxRateIds: [reduced.id] },
      { description: 'Deposit', unitPrice: 5, taxRateIds: [] },
    ];
    const { id } = await create('/v1/invoices', { customerId: 'north', lines });
    // 119.00, 10.70 of which 0.70 is tax, and 5.00.
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      taxes: [
        { percentage: 19, taxable: 100, amount: 19 },
        { percentage: 7, taxable: 10, amount: 0.7 },
      ],
      lines: [{ taxRateIds: [full.id] }, { taxRateIds: [reduced.id] }, { taxRateIds: [] }],
      total: 134.7,
    });
  });

  it('must be of the workspace and not archived', async () => {
    const rate = await vat(7);
    await post(`/v1/tax-rates/${rate.id}/archive`);
    await create('/v1/customers', northwind);
    const line = { description: 'Book', unitPrice: 1, taxRateIds: [rate.id] };
    const { details } = await post('/v1/invoices', { customerId: 'north', lines: [line] }, 400);
    expect(details).toMatchObject([{ field: 'lines[0].taxRateIds' }]);
    const config = { model: 'flat', amount: 1, currency: 'EUR' };
    await post('/v1/prices', { name: 'Book', config, taxRateIds: [rate.id] }, 400);
    await post('/v1/prices', { name: 'Book', config, taxRateIds: ['tax_unknown'] }, 404);
    const price = await feePrice('Book', 1);
    await http.patch(`/v1/prices/${price}`, { taxRateIds: [rate.id] }).expect(400);
  });
});

describe('all that was billed here', () => {
  it('is verified', async () => {
    const { found, invoiceCount: invoices } = await verificationOf(system);
    expect(found).toEqual([]);
    expect(invoices).toBeGreaterThan(0);
  });
});

function vat(percentage: number, more: object = {}) {
  return create('/v1/tax-rates', { name: 'VAT', percentage, ...more });
}

/** Creates the price of a fee in EUR that is charged in advance. Returns its id. */
async function feePrice(name: string, amount: number, more: object = {}): Promise<string> {
  const config = { model: 'flat', amount, currency: 'EUR' };
  const { id } = await create('/v1/prices', { name, timing: 'in_advance', config, ...more });
  return id;
}

async function file(path: string): Promise<string> {
  return String((await http.get(path).responseType('blob').expect(200)).body);
}
