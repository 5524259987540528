import { addSeconds, Decimal, moneyString } from '#libs/kernel/core';
import { amountToPay, type Invoice } from '#libs/contexts/invoicing';
import {
  AccountBalances,
  CHART_OF_ACCOUNTS,
  compareTransactions,
  InMemoryLedger,
  type AccountKey,
  type LedgerTransaction,
  type Posting,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import type { AppliedTax } from '#libs/rating';
import { measureSample, readSampleEvent, type MeterAggregation } from '#libs/usage';
import { invoiceOf, sampleEvents } from '../support/sample-invoice.js';
import { exportFormatNamed } from '../../apps/cli/ledger/export-format-named.js';
import { plainTextAccountName, type LedgerExtract } from '#libs/outputs/books';
import { invoiceText } from '../../apps/cli/ledger/invoice-text.js';
import { play, type History } from './histories.js';

/*
 * What an example says that comes of it, as text: computed by the product's own functions from what happens in it.
 */

/** What something is called, and what it comes to. */
type Row = readonly [name: string, amount: string];

/** By the kind of the block. */
export const VIEWS: Readonly<Record<string, (happens: string) => Promise<string>>> = {
  invoice: async (happens) => invoiceView(await play(happens)),
  'credit-note': async (happens) => creditNoteView(await play(happens)),
  journal: async (happens) => journalView(await play(happens)),
  hledger: async (happens) => exportView(await play(happens), 'hledger'),
  beancount: async (happens) => exportView(await play(happens), 'beancount'),
  metric: async (happens) => metricView(happens),
};

/** A line of a metric's example: a metric, a new version of it, or an event. */
type MetricLine = { eventName?: string; aggregation?: MeterAggregation };

/** The quantities that the versions of a metric measure of the events. */
function metricView(happens: string): string {
  const lines = happens
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MetricLine);
  const versions = lines.flatMap(({ aggregation }) => aggregation ?? []);
  const events = lines.flatMap((line) => {
    if (line.aggregation) return [];
    const read = readSampleEvent(line, '2026-01-15T12:00:00.000Z');
    if ('code' in read) throw new Error(`${JSON.stringify(line)}: ${read.reason}`);
    return read.eventName === lines[0]!.eventName ? [read.event] : [];
  });
  return textOf(
    versions.flatMap((aggregation, i) => {
      const { groups, skipped } = measureSample(aggregation, events, {});
      const quantities = groups.map(({ key, quantity }) => {
        const group = Object.entries(key).map((pair) => pair.join('='));
        const label = versions.length > 1 ? `version ${i + 1}` : group.join(', ');
        return label === '' ? quantity : `${label}: ${quantity}`;
      });
      const skips = skipped === 0 ? [] : [`${skipped} event${skipped === 1 ? '' : 's'} skipped`];
      return [...quantities, ...skips];
    }),
  );
}

/** Lines of an invoice's text that are about when it was made, and of what. */
const MADE_OF =
  /^ {6}(\S+, version 1|(usage )?from \S+ to \S+|of the usage log up to \d+|charged by .*|gives back .*|taxed with .*)$/;

/** The invoice as `countinghouse ledger explain` shows it, without times and ids, and with the subtotal only if it is not the total. */
function invoiceView({ draft }: History): string {
  const { lines, ...details } = draft.details('inv_1');
  const shown = [...invoiceText(invoiceOf(sampleEvents.created({ ...details, lines })))]
    .join('')
    .split('\n')
    .slice(2)
    .filter((line) => line !== '' && !MADE_OF.test(line));
  const [subtotal, total, ...others] = shown.slice(shown.findIndex((line) => /^ {4}Subtotal /.test(line)));
  const isAll = others.length === 0 && subtotal!.trim().split(/ +/)[1] === total!.trim().split(/ +/)[1];
  return textOf(shown.filter((line) => !isAll || line !== subtotal).map((line) => line.slice(4)));
}

/** The last credit note, where it goes, and what is then still to be paid. */
function creditNoteView({ invoices }: History): string {
  const [invoice] = [...invoices.values()] as [Invoice];
  const { lines, creditNotes, status, number } = invoice;
  const note = creditNotes.at(-1)!;
  const nameOf = (lineId: string) => lines.find(({ id }) => id === lineId)!.description;
  const taxText = ({ name, percentage, inclusive, taxable }: AppliedTax) =>
    `${name} ${percentage}% on ${taxable}${inclusive ? ', in the amounts above' : ''}`;
  const total: Row = [`Credit note ${note.number}`, note.total];
  const parts: Row[] = [
    ...note.lines.map(({ id, amount }): Row => [nameOf(id), amount]),
    ['Share of the coupons, not given back', new Decimal(note.discount).negated().toFixed(2)],
    ...note.taxes.map((tax): Row => [taxText(tax), tax.amount]),
    total,
    ['Off what is to be paid', note.unpaid],
    ["To the customer's balance", note.toBalance],
    ['Refunded to the card', note.refunded],
  ];
  const rows: Row[] =
    note.voidedAt === undefined
      ? parts.filter(([, amount]) => !new Decimal(amount).isZero())
      : [[`${total[0]}, void`, total[1]]];
  const rest: Row[] = status === 'paid' ? [] : [[`Then to be paid of ${number}`, amountToPay(invoice)]];
  return inColumns([...rows, ...rest]);
}

/** What is booked, in the order of time: debits in the first column, credits in the second. */
function journalView(history: History): string {
  const rows = transactionsOf(history).flatMap(({ date, description, postings, currency }) => [
    [`${date}  ${description}`, '', ''],
    ...postings.map(({ amount, ...key }) => {
      const name = `    ${titleOf(key, history)}`;
      const sum = moneyString(new Decimal(amount).abs(), currency);
      return amount.startsWith('-') ? [name, '', sum] : [name, sum, ''];
    }),
  ]) as [string, string, string][];
  const isPosting = ([, debit, credit]: [string, string, string]) => debit + credit !== '';
  const width = (column: number) => Math.max(...rows.filter(isPosting).map((row) => row[column]!.length));
  const [name, debit, credit] = [0, 1, 2].map(width) as [number, number, number];
  return textOf(
    rows.map((row) =>
      isPosting(row)
        ? `${row[0].padEnd(name)}  ${row[1].padStart(debit)}  ${row[2].padStart(credit)}`.trimEnd()
        : row[0],
    ),
  );
}

/** All of the books as `countinghouse ledger export` writes them, without the lines that name each event. */
function exportView(history: History, format: string): string {
  const transactions = transactionsOf(history);
  const closing = new AccountBalances();
  for (const transaction of transactions) closing.addTransaction(transaction);
  const nameOf = (id: string) => detailNameOf(id, history);
  const accountName = (key: AccountKey) => plainTextAccountName(key, nameOf);
  const extract: LedgerExtract = {
    workspace: 'acc_1',
    from: undefined,
    to: addSeconds(transactions.at(-1)!.at, 0.001),
    openingBalances: [],
    transactions,
    closingBalances: closing.list().sort((a, b) => (accountName(a) < accountName(b) ? -1 : 1)),
    priceOrTaxRateName: nameOf,
    customerName: () => undefined,
    documentNumberOf: () => undefined,
  };
  const isTag = (line: string) => /^ {4}; \w+: |^ {2}[a-z]+: /.test(line);
  const lines = [...exportFormatNamed(format)(extract)].join('').split('\n');
  return textOf(lines.filter((line) => !isTag(line)));
}

function transactionsOf({ events }: History): LedgerTransaction[] {
  const journal = new InMemoryLedger(postingRules());
  const posted = events.flatMap((event) => journal.post(event) ?? []);
  return [...posted, ...journal.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z')].sort(
    compareTransactions,
  );
}

function titleOf({ account, detail }: Omit<Posting, 'amount'>, history: History): string {
  const { name } = CHART_OF_ACCOUNTS[account];
  return detail === null ? name : `${name}: ${detailNameOf(detail, history)}`;
}

function detailNameOf(id: string, { prices, events }: History): string | undefined {
  const tax = events
    .flatMap(({ data }) => (data as { taxes?: AppliedTax[] }).taxes ?? [])
    .find(({ taxRateId }) => taxRateId === id);
  return tax === undefined ? prices.get(id) : `${tax.name} ${tax.percentage}%`;
}

function inColumns(rows: readonly Row[]): string {
  const [name, amount] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length))) as [
    number,
    number,
  ];
  return textOf(rows.map((row) => `${row[0].padEnd(name)}  ${row[1].padStart(amount)}`));
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n').trim()}\n`;
}
