import { samplePng } from '../../../test/support/sample-png.ts';
import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'billing:read', roles: READERS, endpoints: ['GET /v1/billing-settings'] },
    { right: 'billing:write', roles: FINANCE, endpoints: ['PUT /v1/billing-settings'] },
  ],
  bodies: (ids) => ({
    'PUT /v1/billing-settings': () => ({
      autoApprove: true,
      autoCollect: true,
      gracePeriodHours: 0,
      skipZeroInvoices: false,
      entitledWhilePastDue: true,
      netDays: 30,
      prorationBasis: 'time',
      invoiceNumberPrefix: 'INV',
      invoiceNumberFormat: 'prefix-number',
      creditNoteNumberPrefix: 'CN',
      invoiceFooter: 'Thank you',
      language: 'en',
      invoiceGrouping: 'subscription',
      balancePaysOpenInvoices: true,
      timezone: 'Europe/Berlin',
      seller: {
        legalName: 'Contoso GmbH',
        address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
        taxId: 'DE123456789',
        registrationNumber: 'HRB 1234',
        email: 'billing@contoso.example',
        phone: '+49 30 1234567',
        taxNumber: '30/123/45678',
        contactName: 'Accounts receivable',
        electronicAddress: { scheme: 'EM', id: 'invoices@contoso.example' },
        bankAccount: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
      },
      printZeroLines: true,
      carrySmallAmounts: true,
      qrBillLanguage: 'it',
      paperSize: 'letter',
      logo: `data:image/png;base64,${samplePng(4, 4).toString('base64')}`,
      brandColor: '#0b5fff',
      eInvoicing: 'facturx',
      defaultTaxRateIds: [ids['tax-rates']],
      customerEmails: ['invoice'],
      emailSenderName: 'Contoso Billing',
      emailReplyTo: 'billing@contoso.example',
      // An address is taken only from a sandbox of an admin with a proved address.
      sandboxEmailAllowlist: [],
    }),
  }),
});
