import { minorUnitDigits } from '#libs/kernel/core';
import { CHART_OF_ACCOUNTS, type AccountBalance, type LedgerTransaction } from '#libs/contexts/ledger';
import {
  accountNameIn,
  accountsOf,
  amountWithCurrency,
  currenciesOf,
  firstDate,
  lastDate,
  withoutLineBreaks,
  transactionTags,
  titleOfExtract,
  type LedgerFileFormat,
  type LedgerBooks,
} from './format.js';

/**
 * Writes a journal for hledger. The journal declares all accounts and commodities, as `hledger check --strict` requires. The journal ends
 * with an assertion of every balance. Syntax: https://hledger.org/1.25/hledger.html
 */
export const hledgerFormat: LedgerFileFormat = {
  head,
  transaction: (transaction, books) => `\n${textOf(transaction, books)}`,
  tail,
};

function* head(extract: LedgerBooks): Generator<string> {
  const { from, openingBalances } = extract;
  yield `; ${titleOfExtract(extract)}\n\ndecimal-mark .\n\n`;
  for (const currency of currenciesOf(extract)) yield `commodity ${sampleOf(currency)}\n`;
  yield '\n';
  for (const { name, key } of accountsOf(extract)) {
    const detail = key.detail === null ? undefined : extract.priceOrTaxRateName(key.detail);
    const { number } = CHART_OF_ACCOUNTS[key.account];
    yield `account ${name}  ; code:${number}${detail === undefined ? '' : `, ${plainComment(detail)}`}\n`;
  }
  if (from !== undefined)
    for (const [, balances] of Map.groupBy(openingBalances, ({ currency }) => currency))
      yield `\n${firstDate(extract)} * Opening balances\n${balances.map((one) => openingLine(one, extract)).join('')}`;
}

function* tail(extract: LedgerBooks): Generator<string> {
  const { closingBalances } = extract;
  if (closingBalances.length > 0)
    yield `\n${lastDate(extract)} * Closing balances\n${closingBalances.map((one) => assertionLine(one, extract)).join('')}`;
}

function textOf(transaction: LedgerTransaction, extract: LedgerBooks): string {
  const { date, description, postings, currency, customerId } = transaction;
  // The text before the bar is the payee.
  const payee = plainDescription(extract.customerName(customerId) ?? '').trim();
  const note = plainDescription(description);
  return [
    `${date} * ${payee === '' ? note : `${payee} | ${note}`}`,
    ...transactionTags(transaction).map(
      ([name, value]) => `    ; ${name}: ${withoutLineBreaks(value).replaceAll(',', ' ')}`,
    ),
    ...postings.map(
      (posting) => `    ${accountNameIn(extract, posting)}  ${amountWithCurrency(posting.amount, currency)}`,
    ),
    '',
  ].join('\n');
}

/**
 * Makes a text of a comment in which hledger finds no tag and no date. A word right before a colon is the name of a tag there, and a date
 * in brackets dates a posting.
 */
function plainComment(text: string): string {
  return withoutLineBreaks(text).replaceAll(':', ' :').replaceAll('[', '(').replaceAll(']', ')');
}

/** Makes a description of one line in which hledger finds no comment, no payee, and at its beginning no code and no status. */
function plainDescription(text: string): string {
  return withoutLineBreaks(text)
    .replace(/[;|]/g, ' ')
    .replace(/^[\s(*!]+/, '');
}

function openingLine(balance: AccountBalance, extract: LedgerBooks): string {
  return `    ${accountNameIn(extract, balance)}  ${amountWithCurrency(balance.balance, balance.currency)}\n`;
}

function assertionLine({ balance, currency, ...key }: AccountBalance, extract: LedgerBooks): string {
  return `    ${accountNameIn(extract, key)}  ${amountWithCurrency('0', currency)} = ${amountWithCurrency(balance, currency)}\n`;
}

/**
 * Returns a sample amount for a commodity declaration. hledger requires a decimal mark in this amount, even for a currency without
 * decimals.
 */
function sampleOf(currency: string): string {
  return minorUnitDigits(currency) === 0 ? `1000. ${currency}` : amountWithCurrency('1000', currency);
}
