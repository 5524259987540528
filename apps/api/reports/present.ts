import { Decimal, jsonNumber, moneyString } from '#libs/kernel/core';
import type { TaxTotal } from '#projections/invoices';
import type { CustomerReceivable, InvoiceReceivable, ReceivablesTotal } from '#projections/ledger';
import type {
  CustomerReceivableView,
  InvoiceReceivableView,
  ReceivablesTotalView,
  TaxTotalView,
} from './reports.dto.js';

/** Converts what a customer owes to its form in the API. */
export function presentCustomerAgeing(
  row: CustomerReceivable,
  customerName: string | undefined,
): CustomerReceivableView {
  return { customerId: row.customerId, customerName: customerName ?? null, ...presentTotal(row) };
}

/** Converts what is owed on an invoice to its form in the API. */
export function presentInvoiceAgeing(
  row: InvoiceReceivable,
  customerName: string | undefined,
): InvoiceReceivableView {
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
export function presentTotals(totals: readonly ReceivablesTotal[]): ReceivablesTotalView[] {
  return totals.map(presentTotal);
}

/** Converts a row of a tax report to its form in the API. */
export function presentTaxTotal({ net, tax, percentage, ...row }: TaxTotal): TaxTotalView {
  return {
    ...row,
    percentage: percentage === null ? null : jsonNumber(percentage),
    net: amount(net, row.currency),
    tax: amount(tax, row.currency),
  };
}

function presentTotal(row: ReceivablesTotal): ReceivablesTotalView {
  return {
    currency: row.currency,
    invoices: row.invoices,
    ages: {
      current: amount(row.current, row.currency),
      days1To30: amount(row.days1To30, row.currency),
      days31To60: amount(row.days31To60, row.currency),
      days61To90: amount(row.days61To90, row.currency),
      over90: amount(row.over90, row.currency),
    },
    total: amount(row.total, row.currency),
  };
}

function amount(text: string, currency: string): number {
  return jsonNumber(moneyString(new Decimal(text), currency));
}
