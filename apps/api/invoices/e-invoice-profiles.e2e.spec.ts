import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSystem, type Client, type System } from '../../../test/support/index.js';
import { profileViolations, readUbl, violations } from '../../../test/support/en16931/index.js';
import { until } from '../../../test/support/until.js';

const LEITWEG_ID = '04011000-1234512345-06';
const ADDRESS = { line1: 'Unter den Linden 1', city: 'Berlin', postalCode: '10117', country: 'DE' };
const SELLER = {
  legalName: 'Contoso',
  address: { ...ADDRESS, line1: 'Hauptstr. 1' },
  taxNumber: '30/123/45678',
  taxExemptReason: 'Kein Ausweis von Umsatzsteuer nach § 19 UStG',
  email: 'billing@contoso.example',
  phone: '+49 30 1234567',
};

let system: System;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  http = (await system.workspace()).http;
  const { body: rate } = await http
    .post('/v1/tax-rates', { name: 'USt', percentage: 19, inclusive: false })
    .expect(201);
  await http.put('/v1/billing-settings', { defaultTaxRateIds: [rate.id], seller: SELLER }).expect(200);
  await http.post('/v1/customers', { id: 'amt', name: 'Amt', address: ADDRESS }).expect(201);
});
afterAll(async () => system?.stop());

/** Creates an invoice that is issued, and returns it. */
async function issued(): Promise<{ id: string; total: number; taxExemptReason: string }> {
  const lines = [{ description: 'Consulting', quantity: 1, unitPrice: 100 }];
  const { body } = await http.post('/v1/invoices', { customerId: 'amt', currency: 'EUR', lines }).expect(201);
  const { body: invoice } = await until(
    () => http.get(`/v1/invoices/${body.id}`).expect(200),
    (answer) => answer.body.status === 'open',
  );
  return invoice;
}

describe('the e-invoice of a small business without a VAT id', () => {
  it('has no tax but the reason, and names what XRechnung needs and the invoice does not have', async () => {
    const invoice = await issued();
    expect(invoice).toMatchObject({ total: 100, taxes: [], taxExemptReason: SELLER.taxExemptReason });
    const { text } = await http.get(`/v1/invoices/${invoice.id}/xml`).expect(200);
    expect(violations(readUbl(text))).toEqual([]);
    const { body } = await http.get(`/v1/invoices/${invoice.id}/xml?profile=xrechnung`).expect(409);
    expect(body).toMatchObject({ code: 'e_invoice_incomplete' });
    expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual([
      'customer.buyerReference',
      'customer.electronicAddress',
      'seller.contactName',
    ]);
  });

  it('keeps to the profile of the customer, and to another one on request', async () => {
    const seller = { ...SELLER, contactName: 'Accounts receivable' };
    const { body: settings } = await http.put('/v1/billing-settings', { seller }).expect(200);
    expect(settings.seller).toMatchObject({ ...seller, taxId: null, electronicAddress: null });
    const electronicAddress = { scheme: '0204', id: LEITWEG_ID };
    const change = { buyerReference: LEITWEG_ID, electronicAddress, eInvoiceProfile: 'xrechnung' };
    const { body: customer } = await http.patch('/v1/customers/amt', change).expect(200);
    expect(customer).toMatchObject(change);
    const { id } = await issued();
    const terms = readUbl((await http.get(`/v1/invoices/${id}/xml`).expect(200)).text);
    expect(terms).toMatchObject({ buyerReference: LEITWEG_ID, buyer: { endpoint: `0204:${LEITWEG_ID}` } });
    expect([violations(terms), profileViolations(terms)]).toEqual([[], []]);
    const plain = readUbl((await http.get(`/v1/invoices/${id}/xml?profile=en16931`).expect(200)).text);
    expect(plain.specification).toBe('urn:cen.eu:en16931:2017');
    const { body } = await http.get(`/v1/invoices/${id}/xml?profile=peppol`).expect(409);
    expect(body.details).toEqual([
      {
        field: 'seller.electronicAddress',
        message: expect.stringContaining('set it with PUT /v1/billing-settings, with a Peppol scheme'),
      },
    ]);
    await http.get(`/v1/invoices/${id}/xml?profile=zugferd`).expect(400);
  });

  it('refuses an address of an unknown scheme', async () => {
    const { body } = await http
      .patch('/v1/customers/amt', { electronicAddress: { scheme: '1234', id: 'x' } })
      .expect(400);
    expect(body.details).toMatchObject([{ field: 'electronicAddress.scheme' }]);
  });
});
