import { Decimal, moneyString, sumOf, translatedName, type Instant, type Language } from '#libs/kernel/core';
import {
  amountToPay,
  amountAppliedToInvoice,
  succeededPayments,
  notVoidedCreditNotes,
  amountPaidByCard,
  amountPaidByRecordedPayments,
  type Invoice,
  type InvoiceStatus,
  type PaymentAttempt,
  type RecordedPayment,
} from '#libs/contexts/invoicing';
import type { Labels, Wording } from '../languages/index.js';
import type { TransferCode } from '../qr-code/svg.js';
import { swissBillOf } from '../swiss-bill/swiss-bill.js';
import { qrBillLanguageFor } from '../swiss-bill/headings.js';
import { swissBillView, type SwissBillView } from '../swiss-bill/swiss-bill-view.js';
import { cardText } from './card-text.js';
import { lineView, groupUnderHeadings, type LineView } from './line-view.js';
import { printedLines, servicePeriod } from './printed-lines.js';
import { bankAccountOf, partiesView, type PartiesView } from './parties.js';
import { transferCodeOf } from './transfer-code.js';
import {
  customerDetails,
  exemptionText,
  showsRatesPerLine,
  localeOf,
  taxRows,
  type DocumentLocale,
} from './document-locale.js';

/**
 * The printed texts of an invoice, with every value in its printed form. The strings can contain any characters, and templates escape them.
 */
export interface PrintedInvoiceContent extends PartiesView {
  language: Language;
  labels: Labels;
  /** The title of the page or PDF: the kind of document, its number and the seller. */
  title: string;
  /** The text before the document's number, which names the kind of document. */
  heading: string;
  /** The currency code, shown next to the total, because a dollar sign does not tell which dollar is meant. */
  currency: string;
  /** The number. A draft has no number, so `number` is the word for a draft. */
  number: string;
  /** The status, which sets the look of the document. A credit note has the status `paid`, or `void` if it is void. */
  status: InvoiceStatus;
  /** The stamp across the paper; `null` for an open or written-off invoice, and for a credit note that is not void. */
  stamp: string | null;
  /** Short data of the document with their labels, such as the dates of issue and payment. */
  facts: { label: string; value: string }[];
  /** The main amount, in a sentence such as `$66.80 due 16 Dec 2023`. */
  headline: { amount: string; text: string };
  lines: LineView[];
  /** Tells whether each line shows its tax rates, since the lines have different rates. */
  hasTaxColumn: boolean;
  /**
   * The totals in the order of their calculation: charges and deductions, then the amount due in bold, then refunds. The bold row of a
   * draft or a credit note is its total, which is the last row.
   */
  totals: { label: string; amount: string; strong: boolean }[];
  /** The prepaid credits that the invoice's usage has consumed. The used prepaid credits are not part of the totals. */
  creditsUsed: { description: string; credits: string }[];
  /** The product's sentences below the totals, for example how the invoice was paid or until when to pay it. */
  note: string;
  /** The seller's bank account with the reference of a transfer, on an open or written-off invoice. `null` on other documents, and if the account is not known. */
  payTo: string | null;
  /** The QR code of a transfer to the seller's bank account; `null` if nothing is due, or if banks take no such code for it. */
  transferCode: TransferCode | null;
  /** The QR-bill, which the PDF prints with its code; `null` if the invoice has none. */
  swissBill: SwissBillView | null;
  /** The seller's text about this invoice; `null` if there is no text. */
  memo: string | null;
  /** The seller's text at the foot of the document; `null` if there is no text. */
  footer: string | null;
}

/**
 * Makes the printed texts of an invoice, in the language of the invoice. `sellerName` is the workspace's present name, for a draft; an
 * issued invoice has its own seller name.
 */
export function invoiceView(invoice: Invoice, sellerName: string | null): PrintedInvoiceContent {
  const parties = partiesView(invoice, invoice.status === 'draft' ? sellerName : invoice.sellerName);
  const seller = parties.sellerName;
  const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
  const locale = localeOf(invoice);
  const { words, money, day, period } = locale;
  const number = invoice.number ?? words.draft;
  const title = `${words.invoice} ${number}`;
  const service = servicePeriod(invoice);
  const bill = isPayable ? swissBillOf(invoice, seller) : null;
  const swissBill =
    bill && swissBillView(bill, invoice.settings.qrBillLanguage ?? qrBillLanguageFor(locale.language));
  return {
    language: locale.language,
    labels: words.labels,
    title: seller === null ? title : words.titleFrom(title, seller),
    heading: words.invoice,
    currency: invoice.currency,
    ...parties,
    number,
    status: invoice.status,
    stamp: stampOf(invoice, words),
    facts: [
      {
        label: invoice.issuedAt === null ? words.facts.created : words.facts.issued,
        value: day(invoice.issuedAt ?? invoice.createdAt),
      },
      { label: words.facts.due, value: day(invoice.dueDate) },
      // The credits of a purchase are used at some later time.
      ...(invoice.kind === 'credit_purchase'
        ? []
        : [{ label: words.facts.period, value: period(service.start, service.end) }]),
      ...customerDetails(invoice, locale),
    ],
    headline: {
      amount: money(headlineAmount(invoice)),
      text: headlineText(invoice, locale),
    },
    lines: groupUnderHeadings(invoice, printedLines(invoice), locale, (line) =>
      lineView(line, invoice, locale),
    ),
    hasTaxColumn: showsRatesPerLine(invoice.lines),
    totals: totals(invoice, locale),
    creditsUsed: creditsUsedView(invoice, locale),
    note: locale.joinSentences([note(invoice, locale), ...exemptionText(invoice, locale)]),
    payTo: isPayable ? bankAccountOf(invoice, swissBill) : null,
    transferCode: isPayable ? transferCodeOf(invoice, seller, bill) : null,
    swissBill,
    memo: invoice.memo ?? null,
    footer: invoice.settings.invoiceFooter,
  };
}

function stampOf(invoice: Invoice, { stamps }: Wording): string | null {
  const { status } = invoice;
  if (status === 'open' || status === 'uncollectible') return null;
  return status === 'paid' && !isPaidInMoney(invoice) ? stamps.settled : stamps[status];
}

/**
 * The amount that cards and recorded payments have paid. The customer's balance or credit notes can cover a part of an invoice, or all of
 * it. The amount does not include that part.
 */
export function amountPaidInMoney(invoice: Invoice): Decimal {
  return amountPaidByCard(invoice).plus(amountPaidByRecordedPayments(recordedPaymentsInMoney(invoice)));
}

/** The recorded payments in money, oldest first. Payments from the customer's balance are left out. */
export function recordedPaymentsInMoney({ recordedPayments }: Invoice): PaymentInMoney[] {
  return succeededPayments(recordedPayments).flatMap(({ method, ...payment }) =>
    method === 'balance' ? [] : [{ ...payment, method }],
  );
}

type PaymentInMoney = RecordedPayment & { method: Exclude<RecordedPayment['method'], 'balance'> };

/** The part of the invoice that the customer's balance has paid, when the invoice was opened and later. */
function paidByBalance({ balanceApplied, recordedPayments, currency }: Invoice): string {
  const later = succeededPayments(recordedPayments).filter(
    ({ method, carried }) => method === 'balance' && !carried,
  );
  return moneyString(amountPaidByRecordedPayments(later).plus(Decimal.max(balanceApplied, 0)), currency);
}

/** The amount of the invoice that the next invoice collects. */
function carriedForward({ recordedPayments, currency }: Invoice): string {
  return moneyString(
    amountPaidByRecordedPayments(succeededPayments(recordedPayments).filter(({ carried }) => carried)),
    currency,
  );
}

/** The amount of earlier invoices that this invoice collects. */
function carriedFromEarlier({ balanceApplied, currency }: Invoice): string {
  return moneyString(Decimal.max(new Decimal(balanceApplied).negated(), 0), currency);
}

/**
 * The time of the last payment in money. For a recorded payment, it is the time at which the customer paid, which can be days before the
 * payment was recorded.
 */
export function lastPaidAt(invoice: Invoice): Instant {
  const charges = invoice.attempts.filter(({ status }) => status === 'succeeded');
  return [
    ...recordedPaymentsInMoney(invoice).map(({ paidAt }) => paidAt),
    ...charges.map(({ finishedAt }) => finishedAt ?? invoice.paidAt!),
  ]
    .sort()
    .at(-1)!;
}

function isPaidInMoney(invoice: Invoice): boolean {
  return amountPaidInMoney(invoice).gt(0);
}

/**
 * The main amount: the amount due of an open or written-off invoice, and the amount that was paid in money of a paid invoice. Any other
 * invoice shows its total, also a paid invoice for which no money was paid.
 */
function headlineAmount(invoice: Invoice): string {
  switch (invoice.status) {
    case 'open':
    case 'uncollectible':
      return amountToPay(invoice);
    case 'paid':
      return isPaidInMoney(invoice) ? amountPaidInMoney(invoice).toFixed() : invoice.total;
    case 'draft':
    case 'void':
      return invoice.total;
  }
}

function headlineText(invoice: Invoice, { words: { headline }, day }: DocumentLocale): string {
  switch (invoice.status) {
    case 'draft':
      return headline.draft;
    case 'open':
    case 'uncollectible':
      return headline.due(day(invoice.dueDate));
    case 'paid':
      return isPaidInMoney(invoice)
        ? headline.paid(day(lastPaidAt(invoice)))
        : headline.settled(day(invoice.paidAt!));
    case 'void':
      return headline.void(day(invoice.voidedAt!));
  }
}

function totals(invoice: Invoice, locale: DocumentLocale): PrintedInvoiceContent['totals'] {
  const { totals: words } = locale.words;
  const { currency, total, lines, status, excess, reductions } = invoice;
  const nothing = moneyString(sumOf([]), currency);
  const row = (label: string, amount: string, strong = false) => ({
    label,
    amount: locale.money(amount),
    strong,
  });
  const ofLines = moneyString(sumOf(lines.map(({ amount }) => amount)), currency);
  const discounts = (invoice.discounts ?? []).map(({ name, nameTranslations, amount }) =>
    row(translatedName(name, nameTranslations, locale.language), `-${amount}`),
  );
  const { taxes = [] } = invoice;
  const amounts = lines.map(({ amount, discount = '0', taxRateIds }) => ({
    amount: new Decimal(amount).minus(discount),
    ...(taxRateIds ? { taxRateIds } : {}),
  }));
  const gross = sumOf(lines.map(({ amount }) => amount)).minus(
    sumOf((invoice.discounts ?? []).map(({ amount }) => amount)),
  );
  const byBalance = paidByBalance(invoice);
  const forward = carriedForward(invoice);
  const fromEarlier = carriedFromEarlier(invoice);
  const fromBalance = [
    ...(fromEarlier === nothing ? [] : [row(words.carriedFromEarlier, fromEarlier)]),
    ...(byBalance === nothing ? [] : [row(words.fromBalance, `-${byBalance}`)]),
    ...(forward === nothing ? [] : [row(words.carriedForward, `-${forward}`)]),
  ];
  const toBalance = excess === undefined ? [] : [row(words.excess, excess)];
  // Without discounts and inclusive taxes, the net total is the same amount.
  const isNetTotal = taxes.length > 0 && discounts.length === 0 && taxes.every(({ inclusive }) => !inclusive);
  const changes = [
    ...discounts,
    ...taxRows({ taxes, gross, amounts }, locale),
    ...(status === 'void' ? [] : toBalance),
  ];
  const isTotal = changes.length === 0 && ofLines === total;
  const charged = [...(isNetTotal || isTotal ? [] : [row(words.subtotal, ofLines)]), ...changes];
  if (status === 'draft') return [...charged, row(words.total(currency), total, true)];
  const notes = notVoidedCreditNotes(invoice.creditNotes).map(({ number, ...note }) => ({
    ...note,
    name: words.creditNote(number ?? '').trim(),
  }));
  const noteRow = (label: string, amount: Decimal) => (amount.isZero() ? [] : [row(label, amount.toFixed())]);
  const isOwed = status !== 'paid' && status !== 'void';
  const settled = [
    ...(status === 'void' ? [] : fromBalance),
    ...notes.flatMap(({ name, unpaid }) => noteRow(name, new Decimal(unpaid).negated())),
    ...reductions.map(({ amount }) => row(words.givenBack, `-${amount}`)),
    ...recordedPaymentsInMoney(invoice).map((payment) =>
      row(words.paidOn(locale.day(payment.paidAt)), amountAppliedToInvoice(payment).negated().toFixed()),
    ),
    ...(amountPaidByCard(invoice).isZero()
      ? []
      : [row(words.paid, amountPaidByCard(invoice).negated().toFixed())]),
  ];
  const due = isOwed ? amountToPay(invoice) : nothing;
  // Without other rows, total and amount due are the same sum of the lines. One row then has it, with the currency.
  const isDueInFull = charged.length === 0 && settled.length === 0 && due === total;
  return [
    ...charged,
    ...(isDueInFull ? [] : [row(words.total(currency), total), ...settled]),
    row(isDueInFull ? words.dueIn(currency) : words.due, due, true),
    // These rows are after the amount due: they give back a part of what was paid, and do not reduce the amount due.
    ...notes.flatMap(({ name, toBalance: kept, refunded }) => [
      ...noteRow(words.creditNoteToBalance(name), new Decimal(kept)),
      ...noteRow(words.creditNoteRefunded(name), new Decimal(refunded)),
    ]),
  ];
}

function creditsUsedView(
  { creditsUsed = [] }: Invoice,
  { words, formats, language }: DocumentLocale,
): PrintedInvoiceContent['creditsUsed'] {
  return creditsUsed.map(({ credits, ...names }) => {
    const metric = translatedName(names.metricName, names.metricNameTranslations, language);
    const creditType = translatedName(names.creditTypeName, names.creditTypeNameTranslations, language);
    return {
      description: `${metric}, ${creditType}`,
      credits: words.line.credits(formats.quantity(credits), formats.isSingular(credits)),
    };
  });
}

function note(invoice: Invoice, locale: DocumentLocale): string {
  const { words, day } = locale;
  const { note: texts } = words;
  switch (invoice.status) {
    case 'draft':
      return texts.draft;
    case 'open':
    case 'uncollectible':
      return texts.dueBy(day(invoice.dueDate));
    case 'paid':
      return howSettled(invoice, locale);
    case 'void':
      return texts.voided(day(invoice.voidedAt!));
  }
}

/** Returns a text that says how the invoice was settled: by a payment, by the customer's balance, or by credit notes. */
function howSettled(invoice: Invoice, locale: DocumentLocale): string {
  const { words, day, money, joinSentences: text } = locale;
  const { note: texts } = words;
  const { creditNotes, reductions } = invoice;
  const byBalance = paidByBalance(invoice);
  const forward = carriedForward(invoice);
  const transfers = recordedPaymentsInMoney(invoice);
  const reduced = sumOf(reductions.map(({ amount }) => amount));
  const notes = notVoidedCreditNotes(creditNotes).filter(({ unpaid }) => !new Decimal(unpaid).isZero());
  const others = [
    ...(new Decimal(byBalance).isZero() ? [] : [texts.fromBalance(money(byBalance))]),
    ...(new Decimal(forward).isZero() ? [] : [texts.carriedForward(money(forward))]),
    ...(notes.length === 0
      ? []
      : [
          texts.credited(
            money(sumOf(notes.map(({ unpaid }) => unpaid)).toFixed()),
            notes.map(({ number }) => number ?? words.creditNote).join(', '),
          ),
        ]),
    ...(reduced.isZero() ? [] : [texts.givenBack(money(reduced.toFixed()))]),
  ];
  const paidBy = successfulAttempt(invoice);
  if (transfers.length > 0) return text([texts.paid(day(lastPaidAt(invoice))), ...others]);
  if (paidBy) {
    const card = cardText(paidBy.method.label, words);
    return text([texts.paidWith(day(lastPaidAt(invoice)), card), ...others]);
  }
  if (others.length > 0) return text([texts.settled(day(invoice.paidAt!)), ...others]);
  return text([texts.nothingToPay, ...excessText(invoice, locale)]);
}

function excessText(
  { excess, excessTo }: Invoice,
  { words: { note: texts }, money }: DocumentLocale,
): string[] {
  if (excess === undefined) return [];
  return [excessTo === 'refund' ? texts.excessRefunded(money(excess)) : texts.excessToBalance(money(excess))];
}

/** Returns the payment attempt that paid an invoice; undefined if no attempt succeeded. */
export function successfulAttempt(invoice: Invoice): PaymentAttempt | undefined {
  return invoice.attempts.find(({ status }) => status === 'succeeded');
}
