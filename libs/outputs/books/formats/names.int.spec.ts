import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AccountBalance, LedgerTransaction } from '#libs/contexts/ledger';
import { beancountFormat } from './beancount.js';
import { accountNameIn, ledgerFileOf, type LedgerExtract, type LedgerFileFormat } from './format.js';
import { hledgerFormat } from './hledger.js';

/*
 * Names of prices and customers, and descriptions, stay texts, whatever they contain. The programs that read the files are asked: hledger
 * and bean-check.
 */

const folder = mkdtempSync(join(tmpdir(), 'ledger-names-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Pieces that mean something in one of the formats. */
const PIECES = [
  'type: A',
  'type:Asset',
  'date: 2020-01-01',
  '[2020-01-01]',
  ',',
  ';',
  ':',
  '|',
  '(',
  ')',
  '*',
  '!',
  '=',
  '"',
  '\\',
  '#',
  '@',
  '~',
  '{',
  '}',
  '%',
  '\n',
  '\r',
  '\u0085',
  '\u2028',
  '\u0000',
  '\u001f',
  '  ',
  '\t',
  'include x',
  'account Assets:X',
  'comment',
  'alias a=b',
  'Y2020',
  '2020-01-01',
  'é',
  '票',
  '💶',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''));

function extractOf(names: readonly string[]): LedgerExtract {
  const keyOf = (place: number) => ({ account: 'revenue' as const, detail: `price_${place}` });
  const transactions = names.map((name, i) => ({
    id: `t${i}`,
    at: '2026-03-01T00:00:00.000Z',
    date: '2026-03-01',
    description: name,
    currency: 'USD',
    customerId: name,
    invoiceId: name,
    invoiceNumber: name,
    creditNoteId: null,
    event: {
      id: 'e',
      type: 'InvoiceOpened',
      stream: 'invoice-1',
      position: '1',
      occurredAt: '2026-03-01T00:00:00.000Z',
      actor: { type: 'user', id: 'u' },
    },
    postings: [
      { account: 'accounts_receivable', detail: null, amount: '1.00' },
      { ...keyOf(i), amount: '-1.00' },
    ],
  })) as unknown as LedgerTransaction[];
  const closingBalances = [
    { account: 'accounts_receivable', detail: null, currency: 'USD', balance: `${names.length}.00` },
    ...names.map((_, i) => ({ ...keyOf(i), currency: 'USD', balance: '-1.00' })),
  ] as AccountBalance[];
  return {
    workspace: 'acc_1',
    from: undefined,
    to: '2026-04-01',
    openingBalances: [],
    transactions,
    closingBalances,
    priceOrTaxRateName: (id) => names[Number(id.slice('price_'.length))],
    customerName: (name) => name,
    documentNumberOf: () => undefined,
  };
}

function fileOf(format: LedgerFileFormat, extract: LedgerExtract, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, [...ledgerFileOf(format, extract)].join(''));
  return path;
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

describe('names and descriptions', () => {
  it('are no directives, tags or codes for hledger', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 20, maxLength: 40 }), (names) => {
        const extract = extractOf(names);
        const path = fileOf(hledgerFormat, extract, 'books.journal');
        run('hledger', '-f', path, 'check', '--strict');
        const types = run('hledger', '-f', path, 'accounts', '--types').trim().split('\n');
        const revenue = types.filter((line) => line.startsWith('Income:Revenue:'));
        expect(revenue).toHaveLength(names.length);
        for (const line of revenue) expect(line).toMatch(/type: R$/);
        const transactions = JSON.parse(run('hledger', '-f', path, 'print', '-O', 'json')) as {
          tcode: string;
          tdate: string;
          ttags: [string, string][];
        }[];
        for (const { tcode, tdate, ttags } of transactions.slice(0, names.length)) {
          expect([tcode, tdate]).toEqual(['', '2026-03-01']);
          expect(ttags.map(([name]) => name)).toEqual([
            'event',
            'type',
            'stream',
            'position',
            'occurred',
            'effective',
            'actor',
            'customer',
            'invoice',
            'invoicenumber',
          ]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('are texts for Beancount', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 20, maxLength: 40 }), (names) => {
        const extract = extractOf(names);
        const path = fileOf(beancountFormat, extract, 'books.beancount');
        expect(run('bean-check', path)).toBe('');
        const accounts = extract.closingBalances.map((key) => accountNameIn(extract, key));
        expect(new Set(accounts).size).toBe(names.length + 1);
      }),
      { numRuns: 8 },
    );
  });
});
