import type { CreditNote, CreditNoteReason, Invoice } from '#libs/invoicing';
import { Decimal, moneyString } from '#libs/core';
import { formatDate, formatMoney, formatPeriod, formatQuantity } from './format.js';
import type { InvoiceView, LineView } from './invoice-view.js';

const REASONS: Record<CreditNoteReason, string> = {
  duplicate: 'Charged twice',
  fraudulent: 'Fraudulent charge',
  order_change: 'Change of the order',
  product_unsatisfactory: 'Product unsatisfactory',
  service_issue: 'Problem with the service',
  billing_error: 'Billing error',
  other: 'Other',
};

/** Lays out a credit note in words, on the paper that invoices are printed on. */
export function creditNoteView(invoice: Invoice, note: CreditNote): InvoiceView {
  const { currency, timezone, sellerName } = invoice;
  const money = (amount: string) => formatMoney(amount, currency);
  const number = note.number ?? 'Draft';
  const title = `Credit note ${number}`;
  return {
    title: sellerName === null ? title : `${title} from ${sellerName}`,
    heading: 'Credit note',
    currency,
    sellerName,
    number,
    status: 'paid',
    stamp: null,
    facts: [
      { label: 'Issued', value: formatDate(note.issuedAt, timezone) },
      { label: 'Invoice', value: invoice.number ?? '' },
      { label: 'Reason', value: REASONS[note.reason] },
    ],
    billToName: invoice.billToName,
    billToEmail: invoice.billToEmail,
    headline: { amount: money(note.total), text: 'credited' },
    memo: note.memo,
    lines: linesOf(invoice, note),
    totals: [
      ...(isZero(note.discount)
        ? []
        : [{ label: 'Discount on it', amount: money(`-${note.discount}`), strong: false }]),
      ...note.taxes.map(({ name, percentage, inclusive, amount }) => ({
        label: `${inclusive ? 'Contains ' : ''}${name} ${formatQuantity(percentage)}%`,
        amount: money(amount),
        strong: false,
      })),
      { label: `Credited ${currency}`, amount: money(note.total), strong: true },
    ],
    note: whereItGoes(note, money).join(' '),
    footer: invoice.settings.invoiceFooter,
  };
}

function linesOf(invoice: Invoice, note: CreditNote): LineView[] {
  const { currency, timezone } = invoice;
  const blank = { quantity: '', unitPrice: null, reckoning: null, tiers: [] };
  if (note.lines.length === 0) {
    const added = note.taxes.filter(({ inclusive }) => !inclusive);
    const net = added.reduce((rest, { amount }) => rest.minus(amount), new Decimal(note.total));
    return [
      {
        ...blank,
        description: `Credit on invoice ${invoice.number ?? ''}`,
        period: formatPeriod(invoice.periodStart, invoice.periodEnd, timezone),
        amount: formatMoney(moneyString(net, currency), currency),
      },
    ];
  }
  return note.lines.flatMap(({ id, amount }) => {
    const line = invoice.lines.find((one) => one.id === id);
    if (!line) return [];
    const period = formatPeriod(line.periodStart, line.periodEnd, timezone);
    return [{ ...blank, description: line.description, period, amount: formatMoney(amount, currency) }];
  });
}

function whereItGoes(
  { unpaid, toBalance, refunded }: CreditNote,
  money: (amount: string) => string,
): string[] {
  return [
    ...(isZero(unpaid) ? [] : [`${money(unpaid)} is taken off what was still to be paid.`]),
    ...(isZero(toBalance)
      ? []
      : [`${money(toBalance)} was added to your balance and pays for your next invoices.`]),
    ...(isZero(refunded) ? [] : [`${money(refunded)} is refunded to the card that was charged.`]),
  ];
}

function isZero(amount: string): boolean {
  return new Decimal(amount).isZero();
}
