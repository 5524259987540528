import { Decimal } from '#libs/kernel/core';
import type { Facts, Invoice, TrialBalance } from './facts.ts';
import { wrong, type Finding } from './finding.ts';

/** The ledger sums to zero, as a whole and in each transaction, and says of cash and receivables what the invoices do. */
export function checkLedger({ trialBalance, ledger, invoices }: Facts): Finding[] {
  const findings: Finding[] = [];
  for (const { currency, debit, credit } of trialBalance)
    if (debit !== credit)
      findings.push(wrong(`The ledger in ${currency} has debits of ${debit} and credits of ${credit}`));
  for (const [transaction, entries] of Map.groupBy(ledger, ({ transactionId }) => transactionId)) {
    const sum = total(entries.map(({ debit, credit }) => new Decimal(debit).minus(credit)));
    if (!sum.isZero()) findings.push(wrong(`The entries of ${transaction} sum to ${sum.toFixed()}`));
  }
  const owing = (status: Invoice['status']) =>
    total(
      invoices.filter((invoice) => invoice.status === status).map((invoice) => new Decimal(invoice.total)),
    );
  for (const [account, expected] of [
    ['cash', owing('paid')],
    ['accounts_receivable', owing('open')],
  ] as const) {
    const balance = balanceOf(trialBalance, account);
    if (!balance.eq(expected))
      findings.push(
        wrong(`The balance of ${account} is ${balance.toFixed()}, in place of ${expected.toFixed()}`),
      );
  }
  return findings;
}

function balanceOf(balances: readonly TrialBalance[], account: string): Decimal {
  const lines = balances.flatMap(({ accounts }) => accounts).filter((line) => line.account === account);
  return total(lines.map(({ debit, credit }) => new Decimal(debit).minus(credit)));
}

function total(amounts: Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));
}
