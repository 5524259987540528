import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS, type Invoice } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents, sampleSeller } from '../../../../test/support/sample-invoice.js';
import { readQrPath } from '../../../../test/support/qr-reader.js';
import { transferCodeOf } from './transfer-code.js';

type Change = { seller?: Partial<typeof sampleSeller>; currency?: string };

function invoiceWith({ seller = {}, currency = 'EUR' }: Change = {}): Invoice {
  const settings = { ...BILLING_DEFAULTS, seller: { ...sampleSeller, ...seller } };
  return invoiceOf(sampleEvents.created({ settings, currency }), sampleEvents.opened());
}

/** Returns the lines of a code. */
function linesOf(code: { side: number; path: string }): string[] {
  return readQrPath(code).text.split('\n');
}

describe('the QR code of a transfer', () => {
  it('has the account, the amount due and the invoice number (EPC069-12)', () => {
    expect(linesOf(transferCodeOf(invoiceWith(), 'Contoso GmbH', null)!)).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'COBADEFFXXX',
      'Contoso GmbH',
      'DE89370400440532013000',
      'EUR133.34',
      '',
      '',
      'INV-000042',
    ]);
  });

  it('has a name of at most 70 characters on one line, and needs no BIC', () => {
    const seller = { bankAccount: { iban: 'AT611904300234573201', bic: null } };
    const lines = linesOf(transferCodeOf(invoiceWith({ seller }), `Contoso\n${'ö'.repeat(80)}`, null)!);
    expect(lines.slice(4, 7)).toEqual(['', `Contoso ${'ö'.repeat(62)}`, 'AT611904300234573201']);
  });

  it.each<[string, Change]>([
    ['in another currency', { currency: 'USD' }],
    ['without an account', { seller: { bankAccount: null } }],
    [
      'to an account outside of SEPA',
      { seller: { bankAccount: { iban: 'BR1800360305000010009795493C1', bic: null } } },
    ],
  ])('is left out of an invoice %s', (_, change) => {
    expect(transferCodeOf(invoiceWith(change), 'Contoso GmbH', null)).toBeNull();
  });
});
