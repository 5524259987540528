import { Conflict } from '#libs/kernel/core';
import { paidByCard, type Invoice } from '#libs/contexts/invoicing';
import { cardText } from './card-text.js';
import { invoiceView, successfulAttempt, type PrintedInvoiceContent } from './invoice-view.js';
import { customerDetails, localeOf } from './document-locale.js';

/** Tells whether an invoice can have a receipt: a card was charged, and the invoice is settled. */
export function hasReceipt(invoice: Invoice): boolean {
  return invoice.status === 'paid' && successfulAttempt(invoice) !== undefined;
}

/** Describes the payment of an invoice: its lines and totals, and the time and method of payment. */
export function receiptView(invoice: Invoice): PrintedInvoiceContent {
  const paidBy = successfulAttempt(invoice);
  if (!hasReceipt(invoice) || !paidBy)
    throw new Conflict(
      'not_paid',
      'Only an invoice that was paid by a payment has a receipt; get its PDF instead',
    );
  const view = invoiceView(invoice, invoice.sellerName);
  const locale = localeOf(invoice);
  const { words, money, day } = locale;
  const title = `${words.receipt} ${view.number}`;
  const paidAt = day(paidBy.finishedAt ?? invoice.paidAt!);
  return {
    ...view,
    title: view.sellerName === null ? title : words.titleFrom(title, view.sellerName),
    heading: words.receipt,
    facts: [
      { label: words.facts.ofInvoice, value: view.number },
      { label: words.facts.paid, value: paidAt },
      { label: words.facts.paymentMethod, value: cardText(paidBy.method.label, words) },
      ...customerDetails(invoice, locale),
    ],
    // The payment paid for none of them.
    creditsUsed: [],
    headline: { amount: money(paidByCard(invoice).toFixed()), text: words.headline.paid(paidAt) },
  };
}
