import {
  amountToPay,
  isZeroAmount,
  subscriptionIdsOf,
  type CreditNote,
  type DocumentBrand,
  type Invoice,
  type PaymentAttempt,
} from '#libs/contexts/invoicing';
import { knownRefusalOfAmount } from '#libs/contexts/payments';
import type { DunningTemplate } from '#libs/contexts/dunning';
import { moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import {
  buttonColors,
  cardText,
  declineText,
  localeOf,
  type DocumentLocale,
  timeFormatter,
} from '#libs/outputs/documents';
import { timezoneOfDates } from '#libs/rating';
import type { Letter, LetterFact } from '../templates/letter.js';
import { isOwed } from './is-owed.js';
import { mailWordingOf } from './languages/index.js';

/** The values that every mail to a customer shows, whatever the mail is about. */
export interface LetterFrame {
  /** The present name of the seller. */
  sellerName: string;
  customerName: string;
  brand: DocumentBrand;
  isSandbox: boolean;
}

/** An invoice with the address of its hosted page. */
export interface InvoiceWithUrl {
  invoice: Invoice;
  url: string;
}

/** Makes the mail that sends an open invoice. */
export function invoiceLetter(frame: LetterFrame, { invoice, url }: InvoiceWithUrl): Letter {
  const { words, texts, number } = localeFor(invoice);
  return {
    ...framed(frame, invoice),
    subject: texts.invoice.subject(number, frame.sellerName),
    paragraphs: [
      texts.greeting(frame.customerName),
      withOneStop(texts.invoice.text(number, frame.sellerName)),
    ],
    facts: [
      ...amountDueFacts(invoice),
      { label: words.facts.period, value: localeFor(invoice).period(invoice.periodStart, invoice.periodEnd) },
    ],
    link: linkTo({ invoice, url }, isOwed(invoice), frame),
  };
}

/** A payment of a customer: the charge of a card, or a payment outside the gateway. */
export interface ReceivedPayment {
  amount: DecimalString;
  /** The part of the amount that was added to the customer's balance. */
  toBalance: DecimalString;
  paidAt: Instant;
  /** Returns the name of the payment method, taken from the texts of a document's language. */
  methodName: (words: DocumentLocale['words']) => string;
}

/** Makes the mail about a successful payment. The mail says which amount is still due, and which amount was added to the balance. */
export function receiptLetter(
  frame: LetterFrame,
  { invoice, url }: InvoiceWithUrl,
  { amount, toBalance, paidAt, methodName: methodIn }: ReceivedPayment,
): Letter {
  const { words, texts, number, money, day } = localeFor(invoice);
  const isPartly = isPayable(invoice);
  return {
    ...framed(frame, invoice),
    subject: texts.receipt.subject(number, frame.sellerName),
    paragraphs: [
      texts.greeting(frame.customerName),
      isPartly ? texts.receipt.partly(number) : texts.receipt.text(number, frame.sellerName),
      ...(isZeroAmount(toBalance) ? [] : [words.credit.toBalance(money(toBalance))]),
    ],
    facts: [
      { label: words.totals.paid, value: money(amount) },
      { label: words.facts.paid, value: day(paidAt) },
      { label: words.facts.paymentMethod, value: methodIn(words) },
      ...(isPartly ? amountDueFacts(invoice) : []),
    ],
    link: linkTo({ invoice, url }, isPartly, frame),
  };
}

/** Makes the mail about a failed payment. `nextAttemptAt` is the time of the planned retry; null if no retry is planned. */
export function paymentFailedLetter(
  frame: LetterFrame,
  { invoice, url }: InvoiceWithUrl,
  failed: PaymentAttempt,
  nextAttemptAt: string | null,
): Letter {
  const { words, texts, number, joinSentences: text } = localeFor(invoice);
  const { paymentFailed } = texts;
  const reason = declineText(failed.code, words);
  return {
    ...framed(frame, invoice),
    subject: paymentFailed.subject(number, frame.sellerName),
    paragraphs: [
      texts.greeting(frame.customerName),
      text([paymentFailed.text(number, frame.sellerName), ...(reason === null ? [] : [reason])]),
      nextAttemptAt === null
        ? paymentFailed.noFurtherAttempt
        : paymentFailed.nextAttempt(dayAndTime(nextAttemptAt, invoice)),
    ],
    facts: [
      ...amountDueFacts(invoice),
      { label: words.facts.paymentMethod, value: cardText(failed.method.label, words) },
    ],
    link: linkTo({ invoice, url }, true, frame),
  };
}

/** Makes the mail that asks the customer to confirm a payment. */
export function actionRequiredLetter(frame: LetterFrame, { invoice, url }: InvoiceWithUrl): Letter {
  const { texts, number } = localeFor(invoice);
  return {
    ...framed(frame, invoice),
    subject: texts.actionRequired.subject(number, frame.sellerName),
    paragraphs: [texts.greeting(frame.customerName), texts.actionRequired.text(number, frame.sellerName)],
    facts: amountDueFacts(invoice),
    link: { label: texts.confirm, url },
  };
}

/** Makes the mail that sends a credit note. */
export function creditNoteLetter(
  frame: LetterFrame,
  { invoice, url }: InvoiceWithUrl,
  note: CreditNote,
): Letter {
  const { words, texts, number, money } = localeFor(invoice);
  const noteNumber = note.number ?? words.creditNote;
  return {
    ...framed(frame, invoice),
    subject: texts.creditNote.subject(noteNumber, frame.sellerName),
    paragraphs: [
      texts.greeting(frame.customerName),
      withOneStop(texts.creditNote.text(noteNumber, frame.sellerName)),
    ],
    facts: [
      { label: words.credit.total(invoice.currency), value: money(note.total) },
      { label: words.facts.invoice, value: number },
      { label: words.facts.reason, value: words.credit.reasons[note.reason] },
    ],
    link: { label: texts.view, url },
  };
}

/** The change that a dunning step makes to the subscriptions of its overdue invoices. */
export type DunningSubscriptionChange = 'none' | 'pause' | 'cancel';

/**
 * Makes the mail of a dunning step about one or more overdue invoices in one currency. `changedInvoiceIds` are the invoices whose
 * subscriptions the step changes. By default these are all invoices.
 */
export function dunningLetter(
  frame: LetterFrame,
  overdue: readonly InvoiceWithUrl[],
  template: DunningTemplate,
  change: DunningSubscriptionChange,
  changedInvoiceIds: readonly string[] = overdue.map((one) => one.invoice.invoiceId),
): Letter {
  const invoices = overdue.toSorted((a, b) => comparable(a).localeCompare(comparable(b)));
  const [{ invoice, url }] = invoices as [InvoiceWithUrl];
  const { words, texts, money } = localeFor(invoice);
  const total = moneyString(sumOf(invoices.map((one) => amountToPay(one.invoice))), invoice.currency);
  const changed = { none: [], pause: [texts.subscriptions.paused], cancel: [texts.subscriptions.canceled] };
  // An invoice that a user made is for no subscription, so the step changes nothing for it.
  const hasSubscription = invoices.some(
    (one) => changedInvoiceIds.includes(one.invoice.invoiceId) && subscriptionIdsOf(one.invoice).length > 0,
  );
  const facts: LetterFact[] = invoices.map((one) => {
    const { number, day } = localeFor(one.invoice);
    return {
      label: texts.invoiceDue(number, day(one.invoice.dueDate)),
      value: money(amountToPay(one.invoice)),
      ...(invoices.length > 1 ? { url: one.url } : {}),
    };
  });
  const { notes, ...frameOf } = framed(frame, invoice);
  return {
    ...frameOf,
    subject: texts.dunning[template].subject(frame.sellerName),
    paragraphs: [
      texts.greeting(frame.customerName),
      texts.dunning[template].text(frame.sellerName),
      ...(hasSubscription ? changed[change] : []),
    ],
    facts: [...facts, ...(invoices.length > 1 ? [{ label: words.totals.due, value: money(total) }] : [])],
    ...(invoices.length === 1 ? { link: linkTo({ invoice, url }, true, frame) } : {}),
    notes: [texts.alreadyPaid, ...notes],
  };
}

/** If a name at the end of a sentence ends with a full stop, such as `Acme Inc.`, the sentence gets no second full stop. */
function withOneStop(sentence: string): string {
  return sentence.replace(/\.\.$/, '.');
}

/** Orders invoices by their due date, and then by their number. */
function comparable({ invoice: { dueDate, number } }: InvoiceWithUrl): string {
  return `${dueDate} ${number ?? ''}`;
}

/** The locale of an invoice, with the texts of mail and the invoice's number. */
function localeFor(invoice: Invoice) {
  const locale = localeOf(invoice);
  return {
    ...locale,
    texts: mailWordingOf(locale.language),
    number: invoice.number ?? locale.words.draft,
  };
}

function framed({ sellerName, brand, isSandbox: sandbox }: LetterFrame, invoice: Invoice) {
  const { language, texts, words } = localeFor(invoice);
  return {
    language,
    heading: sellerName,
    linkHint: texts.linkHint,
    ...(brand.brandColor === null ? {} : { button: buttonColors(brand.brandColor) }),
    notes: [texts.attached, ...(sandbox ? [words.labels.sandbox] : [])],
  };
}

/** The link to the page of an invoice. It asks to pay if something is owed and a card may pay it. */
function linkTo({ invoice, url }: InvoiceWithUrl, isOwing: boolean, { isSandbox }: LetterFrame) {
  const { texts } = localeFor(invoice);
  const { currency, attempts } = invoice;
  const refusal = knownRefusalOfAmount(amountToPay(invoice), currency, isSandbox, attempts.at(-1));
  return { label: isOwing && refusal === undefined ? texts.viewAndPay : texts.view, url };
}

/** Tells whether the customer can still pay an amount of the invoice. The customer can also pay an invoice that was written off. */
function isPayable(invoice: Invoice): boolean {
  return isOwed(invoice) || (invoice.status === 'uncollectible' && !isZeroAmount(amountToPay(invoice)));
}

function amountDueFacts(invoice: Invoice): LetterFact[] {
  const { words, money, day } = localeFor(invoice);
  return [
    { label: words.totals.due, value: money(amountToPay(invoice)) },
    { label: words.facts.due, value: day(invoice.dueDate) },
  ];
}

/** Writes a time with its time zone for a sentence, such as `4 March 2026 at 09:00 UTC`. */
function dayAndTime(at: string, invoice: Invoice): string {
  const { words } = localeOf(invoice);
  return timeFormatter(words.locale.dates, timezoneOfDates(invoice))
    .format(new Date(at))
    .replaceAll('\u202f', '\u00a0');
}
