import {
  addDays,
  CHART_OF_ACCOUNTS,
  type AccountBalance,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
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
 * Writes a ledger for Beancount. The ledger ends with an assertion of every balance.
 * Syntax: https://beancount.github.io/docs/beancount_language_syntax.html
 */
export const beancountFormat: LedgerFileFormat = {
  head,
  transaction: (transaction, books) => `\n${textOf(transaction, books)}`,
  tail,
};

function* head(extract: LedgerBooks): Generator<string> {
  const { from, openingBalances } = extract;
  const first = firstDate(extract);
  yield `option "title" ${quoted(titleOfExtract(extract))}\n`;
  for (const currency of currenciesOf(extract)) yield `option "operating_currency" "${currency}"\n`;
  yield '\n';
  for (const currency of currenciesOf(extract)) yield `${first} commodity ${currency}\n`;
  for (const { name, key, currencies } of accountsOf(extract)) {
    yield `${first} open ${name} ${currencies.join(',')}\n`;
    const { number, dividedBy } = CHART_OF_ACCOUNTS[key.account];
    yield `  code: ${quoted(number)}\n`;
    const detail = key.detail === null ? undefined : extract.priceOrTaxRateName(key.detail);
    if (detail !== undefined) yield `  ${dividedBy === 'price' ? 'price' : 'rate'}: ${quoted(detail)}\n`;
  }
  if (from !== undefined)
    for (const [, balances] of Map.groupBy(openingBalances, ({ currency }) => currency))
      yield `\n${first} * "Opening balances"\n${balances.map((one) => balanceLine(one, extract)).join('')}`;
}

function* tail(extract: LedgerBooks): Generator<string> {
  const { closingBalances } = extract;
  // Beancount checks an assertion at the beginning of its day.
  const after = addDays(lastDate(extract), 1);
  yield '\n';
  for (const { balance, currency, ...key } of closingBalances)
    yield `${after} balance ${accountNameIn(extract, key)} ${amountWithCurrency(balance, currency)}\n`;
}

function textOf(transaction: LedgerTransaction, extract: LedgerBooks): string {
  const { date, description, postings, currency, customerId } = transaction;
  const payee = extract.customerName(customerId);
  return [
    `${date} * ${payee === undefined ? '' : `${quoted(payee)} `}${quoted(description)}`,
    ...transactionTags(transaction).map(([name, value]) => `  ${name}: ${quoted(value)}`),
    ...postings.map(
      (posting) => `  ${accountNameIn(extract, posting)}  ${amountWithCurrency(posting.amount, currency)}`,
    ),
    '',
  ].join('\n');
}

function balanceLine({ balance, currency, ...key }: AccountBalance, extract: LedgerBooks): string {
  return `  ${accountNameIn(extract, key)}  ${amountWithCurrency(balance, currency)}\n`;
}

function quoted(text: string): string {
  return `"${withoutLineBreaks(text).replace(/["\\]/g, '\\$&')}"`;
}
