import { describe, expect, it } from '@jest/globals';
import { Conflict, E_INVOICE_PROFILES, type EInvoiceProfile } from '#libs/kernel/core';
import { BILLING_DEFAULTS, type Invoice } from '#libs/contexts/invoicing';
import {
  eCreditNoteSample,
  eInvoiceSample,
  vatRate,
  type Ingredients,
} from '../../../../test/support/e-invoicing.js';
import { sampleAddress, sampleSeller } from '../../../../test/support/sample-invoice.js';
import { profileViolations, readCii, readUbl, violations } from '../../../../test/support/en16931/index.js';
import { eCreditNoteOf, eInvoiceOf } from './e-invoice-of.js';
import { E_INVOICE_FORMATS, writeXml } from './e-invoice-writer.js';

const LEITWEG_ID = '04011000-1234512345-06';
const REASON = 'Kein Ausweis von Umsatzsteuer nach § 19 UStG';

const knownSeller = {
  ...sampleSeller,
  taxNumber: '30/123/45678',
  contactName: 'Accounts receivable',
  electronicAddress: { scheme: '9930', id: 'DE123456789' },
};
const smallSeller = { ...knownSeller, taxId: null, registrationNumber: null };
const berlin = { ...sampleSeller.address!, line1: 'Unter den Linden 1', postalCode: '10117' };
const calls = {
  type: 'usage',
  description: 'Calls',
  quantity: '1000',
  unitPrice: '0.1',
  amount: '100.00',
} as const;

/** An invoice of which everything is known that the profiles need. */
function sample(change: Ingredients['change'] = {}, others: Partial<Ingredients> = {}): Invoice {
  return eInvoiceSample({
    currency: 'EUR',
    lines: [calls],
    rate: vatRate('19'),
    ...others,
    change: {
      settings: { ...BILLING_DEFAULTS, seller: knownSeller },
      buyerReference: LEITWEG_ID,
      billToElectronicAddress: { scheme: '0204', id: LEITWEG_ID },
      ...change,
    },
  });
}

const withSeller = (seller: Partial<typeof knownSeller>) => ({
  settings: { ...BILLING_DEFAULTS, seller: { ...knownSeller, ...seller } },
});
const earlier = { periodStart: '2023-10-16T00:00:00.000Z', periodEnd: '2023-11-16T00:00:00.000Z' };
const untaxed = { rate: undefined };

const INVOICES: Readonly<Record<string, Invoice>> = {
  'within Germany': sample({ billToAddress: berlin, billToTaxId: 'DE987654321' }),
  'to another country': sample({ billToAddress: sampleAddress }),
  'with late usage': sample(
    {},
    {
      lines: [calls, { ...calls, ...earlier, type: 'late_usage', description: 'Calls (late usage)' }],
    },
  ),
  'of a small business': sample(
    {
      billToAddress: berlin,
      billToTaxId: undefined,
      taxExemption: REASON,
      taxExemptionType: 'exempt',
      settings: { ...BILLING_DEFAULTS, seller: smallSeller },
    },
    untaxed,
  ),
  'outside of VAT': sample({ taxExemption: 'Not subject', taxExemptionType: 'not_subject' }, untaxed),
  'without a bank account': sample(withSeller({ bankAccount: null })),
};

describe.each(E_INVOICE_PROFILES)('an e-invoice of the profile %s', (profile) => {
  const formats = E_INVOICE_FORMATS.filter((format) => profile !== 'peppol' || format === 'ubl');

  it.each(Object.keys(INVOICES))('keeps the rules of its profile and of EN 16931: %s', async (name) => {
    const invoice = INVOICES[name]!;
    const note = eCreditNoteSample(invoice, { amount: '10' });
    const documents = [
      [eInvoiceOf(invoice, profile), 'Invoice'],
      [eCreditNoteOf(invoice, note, profile), 'CreditNote'],
    ] as const;
    for (const [document, root] of documents)
      for (const format of formats) {
        const xml = await writeXml(document, format, 'de');
        const terms = format === 'ubl' ? readUbl(xml, root) : readCii(xml);
        expect([root, format, violations(terms)]).toEqual([root, format, []]);
        const broken = profile === 'en16931' ? [] : profileViolations(terms);
        expect([root, format, broken]).toEqual([root, format, []]);
      }
  });
});

describe('a seller without a VAT id', () => {
  it('states its tax number and the reason of a small business (BT-32, BT-29, BT-120)', async () => {
    const eInvoice = eInvoiceOf(INVOICES['of a small business']!, 'xrechnung');
    const ubl = readUbl(await writeXml(eInvoice, 'ubl', 'de'));
    expect(ubl).toMatchObject({
      seller: { vatId: null, taxNumber: '30/123/45678', identifier: '30/123/45678' },
      breakdown: [{ category: 'E', percent: '0', reason: REASON, amount: '0.00' }],
    });
    expect(readCii(await writeXml(eInvoice, 'cii', 'de'))).toEqual(ubl);
  });

  it('states both numbers if it has both, and no identifier (BT-31, BT-32)', async () => {
    const ubl = readUbl(await writeXml(eInvoiceOf(sample()), 'ubl', 'de'));
    expect(ubl.seller).toMatchObject({ vatId: 'DE123456789', taxNumber: '30/123/45678', identifier: null });
  });
});

describe('what is missing for a profile', () => {
  const missingIn = (invoice: Invoice, profile: EInvoiceProfile) => {
    try {
      eInvoiceOf(invoice, profile);
    } catch (error) {
      if (error instanceof Conflict) return (error.details ?? []).map(({ field }) => field);
      throw error;
    }
    return [];
  };
  const bare = eInvoiceSample({
    currency: 'EUR',
    lines: [calls],
    rate: vatRate('19'),
    change: { billToEmail: null, ...withSeller({ contactName: undefined, phone: '–', email: null }) },
  });
  const empty: Invoice = {
    ...bare,
    billToAddress: { ...sampleAddress, postalCode: null },
    settings: {
      ...bare.settings,
      seller: {
        ...bare.settings.seller!,
        electronicAddress: null,
        address: { ...berlin, postalCode: null },
      },
    },
  };

  it('is named, field by field, with the remedy', () => {
    expect(missingIn(empty, 'en16931')).toEqual([]);
    expect(missingIn(empty, 'xrechnung')).toEqual([
      'customer.buyerReference',
      'seller.electronicAddress',
      'customer.electronicAddress',
      'seller.contactName',
      'seller.phone',
      'seller.email',
      'seller.address.postalCode',
      'customer.address.postalCode',
    ]);
    expect(missingIn(empty, 'peppol')).toEqual([
      'customer.buyerReference',
      'seller.electronicAddress',
      'customer.electronicAddress',
    ]);
    expect(() => eInvoiceOf(empty, 'xrechnung')).toThrow(
      'customer.buyerReference (set it with PATCH /v1/customers/:id, such as the Leitweg-ID of a public buyer, because XRechnung needs it)',
    );
  });

  it('is an address in Peppol, for which an e-mail address does not do', () => {
    const byMail = sample({ billToElectronicAddress: { scheme: 'EM', id: 'ap@northwind.example' } });
    expect(missingIn(byMail, 'xrechnung')).toEqual([]);
    expect(missingIn(byMail, 'peppol')).toEqual(['customer.electronicAddress']);
  });

  it('is a reference or an order in Peppol, and the German rules between two parties in Germany', () => {
    const { buyerReference: _, ...unreferenced } = sample();
    expect(missingIn({ ...unreferenced, poNumber: 'PO-1' }, 'peppol')).toEqual([]);
    const inside = { ...unreferenced, poNumber: 'PO-1', billToAddress: berlin };
    expect(missingIn(inside, 'peppol')).toEqual(['customer.buyerReference']);
  });

  it('is the VAT id of the seller for an export, and a VAT id or a tax number otherwise', () => {
    const exported = { taxExemption: 'Export', taxExemptionType: 'export' } as const;
    expect(missingIn(sample({ ...exported, ...withSeller({ taxId: null }) }, untaxed), 'en16931')).toEqual([
      'seller.taxId',
    ]);
    expect(missingIn(sample(withSeller({ taxId: null })), 'en16931')).toEqual([]);
    expect(missingIn(sample(withSeller({ taxId: null, taxNumber: undefined })), 'en16931')).toEqual([
      'seller.taxId',
    ]);
  });
});

it('is the profile of the customer unless a request names another one', () => {
  const invoice = sample({ eInvoiceProfile: 'xrechnung' });
  expect(eInvoiceOf(invoice).profile).toBe('xrechnung');
  expect(eInvoiceOf(invoice, 'peppol').profile).toBe('peppol');
  expect(eInvoiceOf(sample()).profile).toBe('en16931');
});

it('refuses a Peppol invoice in CII', async () => {
  await expect(writeXml(eInvoiceOf(sample(), 'peppol'), 'cii', 'en')).rejects.toThrow(
    'must be ubl for the profile peppol',
  );
});

it('breaks the rules of the profiles when it is changed', async () => {
  const terms = readUbl(await writeXml(eInvoiceOf(sample(), 'xrechnung'), 'ubl', 'de'));
  const { seller, buyer } = terms;
  const broken = (change: Partial<typeof terms>) => profileViolations({ ...terms, ...change });
  expect(broken({ buyerReference: null })).toEqual(['BR-DE-15']);
  expect(broken({ paymentCode: null })).toEqual(['BR-DE-1']);
  expect(broken({ seller: { ...seller, contact: { name: null, phone: '12', email: 'a' } } })).toEqual([
    'BR-DE-5',
    'BR-DE-27',
    'BR-DE-28',
  ]);
  expect(broken({ buyer: { ...buyer, endpoint: null, postalCode: null } })).toEqual([
    'PEPPOL-EN16931-R010',
    'BR-DE-9',
  ]);
  expect(broken({ lines: [{ ...terms.lines[0]!, start: '2023-01-01' }] })).toEqual(['PEPPOL-EN16931-R110']);
  expect(broken({ specification: 'urn:cen.eu:en16931:2017' })).toEqual(['BR-DE-21', 'PEPPOL-EN16931-R004']);
});
