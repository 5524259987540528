import { expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import { csvFormat } from './csv.js';
import { ledgerFileOf, type LedgerExtract } from './format.js';

const transaction: LedgerTransaction = {
  id: 'event-1',
  workspaceId: 'acc_1',
  at: '2026-02-01T00:00:00.000Z',
  date: '2026-02-01',
  event: {
    id: 'event-1',
    type: 'InvoiceOpened',
    stream: 'invoice-1',
    position: '7',
    occurredAt: '2026-02-01T00:00:00.000Z',
    actor: { type: 'system', id: 'collection' },
  },
  description: 'Invoice INV-000001',
  currency: 'USD',
  customerId: 'cust_1',
  invoiceId: 'inv_1',
  invoiceNumber: 'INV-000001',
  creditNoteId: null,
  postings: [
    { account: 'accounts_receivable', detail: null, amount: '20' },
    { account: 'revenue', detail: 'price_1', amount: '-20' },
  ],
};
const extract: LedgerExtract = {
  workspace: 'acc_1',
  from: '2026-02-01',
  to: '2026-03-01',
  closingBalances: [],
  openingBalances: [{ account: 'cash', detail: null, currency: 'USD', balance: '5' }],
  transactions: [transaction],
  priceOrTaxRateName: () => 'Platform fee',
  customerName: (id) => (id === 'cust_1' ? 'Northwind Ltd' : undefined),
  documentNumberOf: ({ invoiceId }) => (invoiceId === 'inv_1' ? 'INV-000001' : undefined),
};

it('begins with the most important columns: date, document, customer and account', () => {
  const rows: string[][] = parse([...ledgerFileOf(csvFormat, extract)].join(''));
  expect(rows.map((row) => row.slice(0, 6))).toEqual([
    ['date', 'documentNumber', 'customerName', 'accountName', 'transactionId', 'at'],
    ['2026-02-01', '', '', 'Cash', 'opening', '2026-02-01'],
    ...['Accounts receivable', 'Revenue: Platform fee'].map((account) => [
      '2026-02-01',
      'INV-000001',
      'Northwind Ltd',
      account,
      'event-1',
      '2026-02-01T00:00:00.000Z',
    ]),
  ]);
  expect(rows[0]!.slice(6)).toEqual([
    'eventId',
    'eventType',
    'stream',
    'position',
    'occurredAt',
    'actorType',
    'actorId',
    'description',
    'customerId',
    'invoiceId',
    'creditNoteId',
    'account',
    'priceId',
    'currency',
    'debit',
    'credit',
    'accountNumber',
    'invoiceNumber',
    'priceName',
    'taxRateId',
    'taxRateName',
  ]);
});
