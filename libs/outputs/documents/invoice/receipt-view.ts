import { Conflict } from '#libs/kernel/core';
import type { Invoice } from '#libs/contexts/invoicing';
import { cardText } from './card-text.js';
import {
  invoiceView,
  lastPaidAt,
  amountPaidInMoney,
  recordedPaymentsInMoney,
  type PrintedInvoiceContent,
} from './invoice-view.js';
import { customerDetails, localeOf, type DocumentLocale } from './document-locale.js';

/** Tells whether an invoice can have a receipt: it must be paid, and a part must be paid by card or outside the gateway. */
export function hasReceipt(invoice: Invoice): boolean {
  return invoice.status === 'paid' && amountPaidInMoney(invoice).gt(0);
}

/**
 * Makes the printed texts of a receipt: the invoice's lines and totals, the last payment's time, and the methods of payment. Throws
 * Conflict (`not_paid`) if the invoice cannot have a receipt.
 */
export function receiptView(invoice: Invoice): PrintedInvoiceContent {
  if (!hasReceipt(invoice))
    throw new Conflict(
      'not_paid',
      'Only an invoice that was paid by a payment has a receipt; get its PDF instead',
    );
  const view = invoiceView(invoice, invoice.sellerName);
  const locale = localeOf(invoice);
  const { words, money, day } = locale;
  const title = `${words.receipt} ${view.number}`;
  const paidAt = day(lastPaidAt(invoice));
  return {
    ...view,
    title: view.sellerName === null ? title : words.titleFrom(title, view.sellerName),
    heading: words.receipt,
    facts: [
      { label: words.facts.ofInvoice, value: view.number },
      { label: words.facts.paid, value: paidAt },
      {
        label: words.facts.paymentMethod,
        value: [...new Set(methodsOf(invoice, locale))].join(', '),
      },
      ...customerDetails(invoice, locale),
    ],
    // The receipt does not show used prepaid credits, because the payment did not pay for them.
    creditsUsed: [],
    headline: { amount: money(amountPaidInMoney(invoice).toFixed()), text: words.headline.paid(paidAt) },
  };
}

/** The names of the methods of all payments in money. */
function methodsOf(invoice: Invoice, { words }: DocumentLocale): string[] {
  const charges = invoice.attempts.filter(({ status }) => status === 'succeeded');
  return [
    ...recordedPaymentsInMoney(invoice).map(({ method }) => words.payment.methods[method]),
    ...charges.map(({ method }) => cardText(method.label, words)),
  ];
}
