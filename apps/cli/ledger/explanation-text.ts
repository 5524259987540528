import { Decimal, type DecimalString } from '#libs/kernel/core';
import { debitAndCreditOf, type LedgerTransaction, type Posting } from '#libs/contexts/ledger';
import type { AccountNames } from '#libs/outputs/books';
import { amountText } from './amounts.js';
import type { ExplanationSubject } from './subjects.js';
import { TERMINAL_WIDTH, wrapText } from './terminal-text.js';

/**
 * One step of an explanation: an event, or a later effect of an event. A step has the ledger transaction of the event, if one was posted.
 */
export type ExplanationStep = Pick<LedgerTransaction, 'at' | 'event'> &
  Partial<Pick<LedgerTransaction, 'date' | 'description' | 'currency' | 'postings'>> & {
    /** A text about the prepaid credits that the event changed. Absent if it changed none. */
    readonly credits?: string;
  };

/** The columns of a posting: account, debit, credit and balance. The balance column is filled only for the explained account. */
type PostingColumns = readonly [name: string, debit: string, credit: string, balance: string];

/** Formats the steps as text. Each step has a heading with its event, and a line for each posting with the balance after it. */
export function* explanationText(
  steps: readonly ExplanationStep[],
  subject: ExplanationSubject,
  names: AccountNames,
): Iterable<string> {
  const isMixed = new Set(steps.flatMap(({ currency = [] }) => currency)).size > 1;
  const balances = new RunningBalances(isMixed);
  const told = steps.map((step) => ({ step, lines: postingLines(step, subject, names, balances) }));
  const headings: PostingColumns = ['', 'debit', 'credit', subject.balanceHeading];
  const all = [headings, ...told.flatMap(({ lines }) => lines)];
  const [name, debit, credit, balance] = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((line) => line[column]!.length)),
  ) as [number, number, number, number];
  const row = (line: PostingColumns): string =>
    `    ${line[0].padEnd(name)}  ${line[1].padStart(debit)}  ${line[2].padStart(credit)}  ${line[3].padStart(balance)}`;
  yield `${row(headings)}\n`;
  for (const { step, lines } of told) {
    yield `${stepHeading(step)}\n`;
    for (const line of wrapText(step.credits ?? '', TERMINAL_WIDTH - 2)) if (line !== '') yield `  ${line}\n`;
    for (const line of lines) yield `${row(line).trimEnd()}\n`;
  }
}

/** The running balances of the explained account by currency. The text names the currency only if there are several currencies. */
class RunningBalances {
  private readonly amounts = new Map<string, Decimal>();

  constructor(private readonly isMixed: boolean) {}

  after(amount: DecimalString, currency: string): string {
    const balance = (this.amounts.get(currency) ?? new Decimal(0)).plus(amount);
    this.amounts.set(currency, balance);
    const side = balance.isZero() ? '' : balance.isNegative() ? ' Cr' : ' Dr';
    return `${amountText(balance.abs(), currency)}${this.isMixed ? ` ${currency}` : ''}${side}`;
  }
}

function stepHeading({ at, date, event, description, currency }: ExplanationStep): string {
  const { type, position, occurredAt, actor } = event;
  const later = at === occurredAt ? '' : ` of ${occurredAt}`;
  const booked = date === undefined || date === at.slice(0, 10) ? '' : ` (booked on ${date})`;
  const what = `${at}${booked}  ${type}${later}, position ${position},`;
  const who = `by ${actor.type} ${actor.id}`;
  const head = what.length + 1 + who.length > TERMINAL_WIDTH ? `${what}\n    ${who}` : `${what} ${who}`;
  return description === undefined ? head : `${head}\n  ${description}, ${currency}`;
}

function postingLines(
  { postings = [], currency = '' }: ExplanationStep,
  subject: ExplanationSubject,
  names: AccountNames,
  balances: RunningBalances,
): PostingColumns[] {
  const column = (amount: string): string => (Number(amount) === 0 ? '' : amountText(amount, currency));
  const balanceAfter = (posting: Posting): string => {
    if (!subject.changesBalance(posting)) return '';
    return balances.after(posting.amount, currency);
  };
  return postings.map((posting) => {
    const { debit, credit } = debitAndCreditOf(posting.amount, currency);
    return [names.shortAccountName(posting), column(debit), column(credit), balanceAfter(posting)];
  });
}
