import { Decimal, jsonNumber, moneyString } from '#libs/kernel/core';
import { RECEIVABLE_AGES } from '#libs/contexts/invoicing';
import type { TaxTotal } from '#projections/invoices';
import { type CustomerReceivable, type InvoiceReceivable, type ReceivablesTotal } from '#projections/ledger';

/** Converts what a customer owes to its form in the API. */
export function presentCustomerAgeing(row: CustomerReceivable, customerName: string | undefined) {
  return { customerId: row.customerId, customerName: customerName ?? null, ...presentTotal(row) };
}

/** Converts what is owed on an invoice to its form in the API. */
export function presentInvoiceAgeing(row: InvoiceReceivable, customerName: string | undefined) {
  return {
    customerId: row.customerId,
    customerName: customerName ?? null,
    invoiceId: row.invoiceId === '' ? null : row.invoiceId,
    invoiceNumber: row.invoiceNumber,
    currency: row.currency,
    dueDate: row.dueDate,
    daysOverdue: row.daysOverdue,
    age: row.age,
    amount: amount(row.amount, row.currency),
  };
}

/** Converts the totals of all customers to their form in the API, one for each currency. */
export function presentTotals(totals: readonly ReceivablesTotal[]) {
  return totals.map(presentTotal);
}

/** Converts a row of a tax report to its form in the API. */
export function presentTaxTotal({ net, tax, percentage, ...row }: TaxTotal) {
  return {
    ...row,
    percentage: percentage === null ? null : jsonNumber(percentage),
    net: amount(net, row.currency),
    tax: amount(tax, row.currency),
  };
}

function presentTotal(row: ReceivablesTotal) {
  const ages = RECEIVABLE_AGES.map((age) => [age, amount(row[age], row.currency)] as const);
  return {
    currency: row.currency,
    invoices: row.invoices,
    ages: Object.fromEntries(ages),
    total: amount(row.total, row.currency),
  };
}

function amount(text: string, currency: string): number {
  return jsonNumber(moneyString(new Decimal(text), currency));
}
