import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS, type Invoice, type Seller } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents, sampleSeller } from '../../../../test/support/sample-invoice.js';
import { readQrPath } from '../../../../test/support/qr-reader.js';
import { makeHostedInvoicePage } from '../hosted-invoice.js';
import { invoiceView } from '../invoice/invoice-view.js';
import { InvoiceDocuments } from '../invoice-documents.js';
import { creditorReference, qrReference } from './reference.js';
import { swissBillText, type SwissBill } from './payload.js';

/** An account and a QR-IBAN from the examples of the guidelines. */
const IBAN = 'CH5800791123000889012';
const QR_IBAN = 'CH4431999123000889012';

const bern = {
  line1: 'Am Wasser 1',
  line2: null,
  city: 'Bern',
  postalCode: '3000',
  region: null,
  country: 'CH',
};
const swissSeller: Seller = {
  ...sampleSeller,
  legalName: 'Robert Schneider AG',
  address: bern,
  bankAccount: { iban: IBAN, bic: null },
};

function invoiceWith(
  change: Partial<Parameters<typeof sampleEvents.created>[0]> = {},
  seller: Partial<Seller> = {},
): Invoice {
  const settings = { ...BILLING_DEFAULTS, seller: { ...swissSeller, ...seller } };
  const created = sampleEvents.created({
    settings,
    currency: 'CHF',
    billToName: 'Pia Rutschmann',
    billToAddress: { ...bern, line1: 'Mustergasse 28b', city: 'Thun', postalCode: '3600' },
    ...change,
  });
  return invoiceOf(created, sampleEvents.opened());
}

/** The lines of the code on the documents of an invoice, read from its picture. */
const linesOf = (invoice: Invoice) => readQrPath(invoiceView(invoice, null).transferCode!).text.split('\n');

describe('the payload of a Swiss QR-bill', () => {
  // The examples 1 and 17 of the data schemas that SIX publishes with the guidelines.
  it('is that of the example with a QR-IBAN', () => {
    const bill: SwissBill = {
      iban: 'CH6431961000004421557',
      amount: '111.00',
      currency: 'CHF',
      message: 'Premium calculation July 2020',
      creditor: {
        name: 'Health insurance fit&kicking',
        street: 'Am Wasser',
        building: '1',
        postalCode: '3000',
        town: 'Bern',
        country: 'CH',
      },
      debtor: {
        name: 'Sarah Beispiel',
        street: 'Mustergasse',
        building: '1',
        postalCode: '3600',
        town: 'Thun',
        country: 'CH',
      },
      reference: { type: 'QRR', text: '000008207791225857421286694' },
    };
    expect(swissBillText(bill)).toBe(
      'SPC\n0200\n1\nCH6431961000004421557\nS\nHealth insurance fit&kicking\nAm Wasser\n1\n3000\nBern\nCH\n\n\n\n\n\n\n\n' +
        '111.00\nCHF\nS\nSarah Beispiel\nMustergasse\n1\n3600\nThun\nCH\nQRR\n000008207791225857421286694\n' +
        'Premium calculation July 2020\nEPD',
    );
    expect(
      swissBillText({
        ...bill,
        iban: IBAN,
        amount: '211.00',
        reference: { type: 'SCOR', text: 'RF240191230100405JSH0438' },
      })
        .split('\n')
        .slice(-4),
    ).toEqual(['SCOR', 'RF240191230100405JSH0438', 'Premium calculation July 2020', 'EPD']);
  });

  // The references of the same examples.
  it('has check digits by modulo 10 recursive, and by ISO 11649', () => {
    expect(qrReference('820779122585742128669')).toBe('000008207791225857421286694');
    expect(qrReference('631717124556595922648')).toBe('000006317171245565959226487');
    expect(creditorReference('0191230100405JSH0438')).toBe('RF240191230100405JSH0438');
    expect(creditorReference('20191230100503QYP0627')).toBe('RF8420191230100503QYP0627');
  });

  it('has the account, both addresses, the amount due, and a creditor reference of the invoice number', () => {
    expect(linesOf(invoiceWith())).toEqual([
      'SPC',
      '0200',
      '1',
      IBAN,
      'S',
      'Robert Schneider AG',
      'Am Wasser',
      '1',
      '3000',
      'Bern',
      'CH',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '133.34',
      'CHF',
      'S',
      'Pia Rutschmann',
      'Mustergasse',
      '28b',
      '3600',
      'Thun',
      'CH',
      'SCOR',
      'RF29INV000042',
      'Invoice INV-000042',
      'EPD',
    ]);
  });

  it('has a QR reference of the sequence number with a QR-IBAN', () => {
    const invoice = invoiceWith({}, { bankAccount: { iban: QR_IBAN, bic: null } });
    expect(linesOf(invoice).slice(-4)).toEqual([
      'QRR',
      '000000000000000000000000420',
      'Invoice INV-000042',
      'EPD',
    ]);
  });
});

describe('a QR-bill', () => {
  const withAccount = (iban: string): Partial<Seller> => ({ bankAccount: { iban, bic: null } });

  it('leaves out a customer whose address lacks the postal code or has other letters than Latin ones', () => {
    const billToAddress = { ...bern, postalCode: null };
    expect(linesOf(invoiceWith({ billToAddress })).slice(20, 27)).toEqual(['', '', '', '', '', '', '']);
    expect(linesOf(invoiceWith({ billToName: '株式会社' })).slice(20, 27)).toEqual([
      '',
      '',
      '',
      '',
      '',
      '',
      '',
    ]);
  });

  it('replaces marks that no bill may have, and cuts what is too long', () => {
    const lines = linesOf(invoiceWith({ billToName: `Pia’s – “Bäckerei” ${'x'.repeat(80)}` }));
    expect(lines[21]).toBe(`Pia's - "Bäckerei" ${'x'.repeat(51)}`);
  });

  it('has the currency EUR too, in place of an EPC code', () =>
    expect(linesOf(invoiceWith({ currency: 'EUR' })).slice(18, 20)).toEqual(['133.34', 'EUR']));

  it.each<[string, Invoice, string | null]>([
    ['in another currency', invoiceWith({ currency: 'USD' }), null],
    ['to an account of another country', invoiceWith({}, withAccount('DE89370400440532013000')), null],
    [
      'without the postal code of the seller',
      invoiceWith({}, { address: { ...bern, postalCode: null } }),
      null,
    ],
    [
      'in EUR without the postal code of the seller, which has an EPC code',
      invoiceWith({ currency: 'EUR' }, { address: { ...bern, postalCode: null } }),
      'BCD',
    ],
    [
      'to a QR-IBAN in EUR without an address',
      invoiceWith({ currency: 'EUR' }, { ...withAccount(QR_IBAN), address: null }),
      null,
    ],
  ])('is left out of an invoice %s', (_, invoice, first) => {
    const { transferCode, swissBill } = invoiceView(invoice, null);
    expect(swissBill).toBeNull();
    expect(transferCode && readQrPath(transferCode).text.split('\n')[0]).toBe(first);
  });

  it('prints the reference of the code in groups, beside the account and on the payment part', () => {
    const { payTo, swissBill } = invoiceView(invoiceWith({}, withAccount(QR_IBAN)), null);
    expect(payTo).toBe('CH44 3199 9123 0008 8901 2, Reference 00 00000 00000 00000 00000 00420');
    expect(swissBill).toMatchObject({
      account: ['CH44 3199 9123 0008 8901 2', 'Robert Schneider AG', 'Am Wasser 1', '3000 Bern'],
      reference: '00 00000 00000 00000 00000 00420',
      message: 'Invoice INV-000042',
      payableBy: ['Pia Rutschmann', 'Mustergasse 28b', '3600 Thun'],
      currency: 'CHF',
      amount: '133.34',
    });
    expect(invoiceView(invoiceWith(), null).swissBill!.reference).toBe('RF29 INV0 0004 2');
  });

  it('names no account that takes only QR-bills on an invoice without one', () =>
    expect(invoiceView(invoiceWith({ currency: 'USD' }, withAccount(QR_IBAN)), null).payTo).toBeNull());

  it.each([
    ['de', 'Zahlteil', 'Zahlbar durch (Name/Adresse)', 'Rechnung INV-000042'],
    ['fr', 'Section paiement', 'Payable par (nom/adresse)', 'Facture INV-000042'],
    ['ja', 'Payment part', 'Payable by (name/address)', 'INV-000042'],
  ] as const)('is printed in the PDF with its headings: %s', async (language, title, payer, message) => {
    const settings = { ...BILLING_DEFAULTS, seller: swissSeller, language };
    const invoice = invoiceWith({ settings, billToAddress: undefined });
    const html = await new InvoiceDocuments(null as never).invoiceHtml(
      invoice,
      null,
      'https://x.example/i/T',
    );
    for (const text of [title, payer, message]) expect(html).toContain(`>${text}<`);
    const [codes] = [[...html.matchAll(/<path d="(M4 4h7v1[^"]*)"/g)]];
    expect(codes).toHaveLength(1);
    const [side] = [Number(/viewBox="4 4 (\d+) /.exec(html)![1]) + 8];
    expect(readQrPath({ side, path: codes[0]![1]! }).text).toContain(
      `\nSCOR\nRF29INV000042\n${message}\nEPD`,
    );
  });

  it.each([
    ['it', 'Sezione pagamento', 'Ricevuta'],
    ['fr', 'Section paiement', 'Récépissé'],
    [null, 'Zahlteil', 'Empfangsschein'],
    [undefined, 'Zahlteil', 'Empfangsschein'],
  ] as const)('has the headings of its own language %s on a German document', (own, paymentPart, receipt) => {
    const german = { ...BILLING_DEFAULTS, seller: swissSeller, language: 'de' } as const;
    const settings = { ...german, qrBillLanguage: own };
    expect(invoiceView(invoiceWith({ settings }), null)).toMatchObject({
      language: 'de',
      swissBill: { headings: { paymentPart, receipt }, message: 'Rechnung INV-000042' },
    });
  });

  it('is on the hosted page as a code with a Swiss cross', () => {
    const payment = { cardOnFile: null, canTakePayments: false, canAddCard: false, isSandbox: false };
    const { html } = makeHostedInvoicePage(invoiceWith(), 'TOKEN', null, payment);
    expect(html).toMatch(/<figure class="transfer"><svg [^>]*><path d="M4 4[^>]*\/><g transform="translate/);
    expect(html).toContain('Reference RF29 INV0 0004 2');
  });
});
