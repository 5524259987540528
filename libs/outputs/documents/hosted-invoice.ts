import {
  amountToPay,
  attemptRequiringAction,
  DEFAULT_BRAND,
  isBeingPaid,
  type DocumentBrand,
  type Invoice,
  type PaymentAttempt,
} from '#libs/contexts/invoicing';
import {
  knownRefusalOfAmount,
  TEST_PAYMENT_METHODS,
  type ChargeOutcome,
  type TestPaymentMethodName,
} from '#libs/contexts/payments';
import { cardText } from './invoice/card-text.js';
import { declineText } from './invoice/decline-text.js';
import type { Instant } from '#libs/kernel/core';
import { invoiceView, type PrintedInvoiceContent } from './invoice/invoice-view.js';
import { hasReceipt } from './invoice/receipt-view.js';
import type { Wording } from './languages/index.js';
import { localeOf } from './invoice/document-locale.js';
import { RecentDocuments } from './recent-documents.js';
import { brandView } from './templates/brand.js';
import {
  renderHostedInvoicePage,
  type HostedCreditNoteView,
  type HostedInvoiceView,
} from './templates/hosted-invoice-page.js';
import type { WebPage } from './templates/web-page.js';

/** The ways in which the customer can pay the invoice on its hosted page. */
export interface HostedPayment {
  /** The label of the card on file, such as "Visa ending 4242"; `null` if there is no card. */
  cardOnFile: string | null;
  /** Tells whether the workspace can take payments. */
  canTakePayments: boolean;
  /** Tells whether the customer can still enter a card, and so was not deleted. */
  canAddCard: boolean;
  isSandbox: boolean;
  /** Tells whether the customer wanted to pay another amount than the one that is due now. */
  amountHasChanged?: boolean;
  /** The workspace's time. Without it, the page does not say that the invoice is overdue. */
  now?: Instant;
}

type Next = Pick<
  HostedInvoiceView,
  'message' | 'action' | 'cardEntry' | 'isCardEntryFirst' | 'refreshSeconds'
>;

/** The cards of a sandbox that a page offers: the payment succeeds, is declined, or needs a confirmation. */
export const HOSTED_TEST_CARDS = [
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_chargeDeclinedInsufficientFunds',
  'pm_card_authenticationRequired',
] as const satisfies readonly TestPaymentMethodName[];

const REFRESH_SECONDS = 3;
/** The size of all pages in memory. A page of 500 lines has about 300 KB. */
const KEPT_BYTES = 32 * 1024 * 1024;
const recentPages = new RecentDocuments<WebPage>(KEPT_BYTES, ({ html }) => html.length);

const nothing: Next = {
  message: null,
  action: null,
  cardEntry: null,
  isCardEntryFirst: false,
  refreshSeconds: null,
};

/**
 * Makes the hosted page to which the link of an invoice leads. The hosted page shows the invoice, the state of its payment, and what the
 * customer can do next.
 */
export function makeHostedInvoicePage(
  invoice: Invoice,
  token: string,
  sellerName: string | null,
  { now, ...payment }: HostedPayment,
  brand: DocumentBrand = DEFAULT_BRAND,
): WebPage {
  const name = `${invoice.invoiceId} ${token}`;
  const isOverdue = now !== undefined && isPastDue(invoice, now);
  const madeFrom = [invoice, sellerName, payment, brand, isOverdue];
  const known = recentPages.find(name, madeFrom);
  if (known !== undefined) return known;
  const page = renderPage(invoice, token, sellerName, payment, brand, isOverdue);
  recentPages.keep(name, madeFrom, page);
  return page;
}

function renderPage(
  invoice: Invoice,
  token: string,
  sellerName: string | null,
  payment: HostedPayment,
  brand: DocumentBrand,
  isOverdue: boolean,
): WebPage {
  const view = invoiceView(invoice, sellerName);
  const { words, day } = localeOf(invoice);
  return renderHostedInvoicePage({
    ...view,
    ...brandView(brand),
    brand,
    isOverdue,
    statusText: isOverdue ? words.headline.overdue(day(invoice.dueDate)) : view.headline.text,
    ...nextStep(invoice, token, payment, view),
    pdfPath: `${token}/pdf`,
    receiptPath: hasReceipt(invoice) ? `${token}/receipt` : null,
    creditNotes: creditNotes(invoice, token),
    sandbox: payment.isSandbox,
  });
}

/** Tells whether an invoice is still owed after the day on which it was due. */
function isPastDue(invoice: Invoice, now: Instant): boolean {
  const { status, dueDate } = invoice;
  if (status !== 'open' && status !== 'uncollectible') return false;
  const { day } = localeOf(invoice);
  return now > dueDate && day(now) !== day(dueDate);
}

/** The credit notes that have a number. A credit note gets its number a moment after its issue. */
function creditNotes(invoice: Invoice, token: string): HostedCreditNoteView[] {
  const { words, money, day } = localeOf(invoice);
  return invoice.creditNotes.flatMap(({ creditNoteId, number, issuedAt, total, voidedAt }) => {
    if (number === null) return [];
    const state = voidedAt === undefined ? [] : [words.credit.voidSince(day(voidedAt))];
    const text = [day(issuedAt), money(total), ...state].join(' · ');
    return [{ number, text, pdfPath: `${token}/credit-notes/${creditNoteId}/pdf` }];
  });
}

function nextStep(
  invoice: Invoice,
  token: string,
  payment: HostedPayment,
  { note, payTo }: Pick<PrintedInvoiceContent, 'note' | 'payTo'>,
): Next {
  switch (invoice.status) {
    case 'draft':
    case 'void':
      return { ...nothing, message: { tone: 'plain', text: note } };
    case 'paid':
      return { ...nothing, message: { tone: 'good', text: note } };
    case 'open':
    case 'uncollectible':
      return toPay(invoice, token, payment, payTo);
  }
}

function toPay(invoice: Invoice, token: string, offered: HostedPayment, payTo: string | null): Next {
  const { cardOnFile, canTakePayments } = offered;
  const { words, money, joinSentences } = localeOf(invoice);
  const { payment } = words;
  const due = amountToPay(invoice);
  const amount = money(due);
  const hasAccount = payTo !== null;
  if (isBeingPaid(invoice))
    return {
      ...nothing,
      message: { tone: 'plain', text: payment.beingProcessed },
      refreshSeconds: REFRESH_SECONDS,
    };
  const last = invoice.attempts.at(-1);
  // A card that works pays with one click. Another card is offered if the one on file did not pay.
  const didNotPay = last?.status === 'failed' || last?.status === 'requires_action';
  const takesCard = cardOnFile === null || didNotPay;
  const cardEntry = takesCard ? cardEntryOf(invoice, token, offered) : null;
  const waiting = attemptRequiringAction(invoice);
  if (waiting)
    return {
      ...nothing,
      message: { tone: 'plain', text: payment.needsConfirmation },
      action: {
        path: `${token}/confirm`,
        amount: due,
        label: payment.confirm(amount),
        hint: payment.willBeCharged(cardText(waiting.method.label, words)),
      },
      cardEntry,
    };
  const refusal = canTakePayments ? cardRefusalTexts(invoice, offered) : null;
  if (refusal !== null) {
    const texts = [...refusal, hasAccount ? payment.byTransfer : payment.askSender];
    return { ...nothing, message: { tone: 'plain', text: joinSentences(texts) } };
  }
  const news = newsOf(invoice, offered);
  const wasDeclined = last !== undefined && isDecline(last, words) && last.method.label === cardOnFile;
  if (canTakePayments && cardOnFile !== null)
    return {
      ...nothing,
      message: news,
      action: {
        path: `${token}/pay`,
        amount: due,
        label: wasDeclined ? payment.tryAgain : payment.pay(amount),
        hint: payment.willBeCharged(cardText(cardOnFile, words)),
      },
      cardEntry,
      isCardEntryFirst: wasDeclined && cardEntry !== null,
    };
  const advice = adviceOf(cardEntry !== null, canTakePayments, hasAccount, words);
  const texts = news === null ? advice : [news.text, ...advice];
  const tone = news?.tone ?? 'plain';
  return {
    ...nothing,
    message: texts.length === 0 ? null : { tone, text: joinSentences(texts) },
    cardEntry,
  };
}

/** Tells whether the card itself did not pay, and the customer did not just leave out the confirmation. */
function isDecline({ status, code }: PaymentAttempt, words: Wording): boolean {
  return status === 'failed' && declineText(code, words) !== words.payment.declines.not_confirmed;
}

/** Sentences that say that no card can pay the amount due, and why. Null if a card may pay it. */
function cardRefusalTexts(invoice: Invoice, { isSandbox }: HostedPayment): string[] | null {
  const due = amountToPay(invoice);
  const refusal = knownRefusalOfAmount(due, invoice.currency, isSandbox, invoice.attempts.at(-1));
  if (!refusal) return null;
  const { words, money } = localeOf(invoice);
  const { notByCard, cardAtLeast, cardAtMost } = words.payment;
  if (refusal.limit === undefined) return [notByCard];
  const limit = money(refusal.limit);
  return [notByCard, refusal.code === 'amount_too_small' ? cardAtLeast(limit) : cardAtMost(limit)];
}

/** What came of the last try to pay: nothing was charged because the amount has changed, or the card did not pay. Null if there is no news. */
function newsOf(invoice: Invoice, { amountHasChanged = false }: HostedPayment): HostedInvoiceView['message'] {
  const { words, time, joinSentences } = localeOf(invoice);
  const { failed, notCharged, attempt, amountHasChanged: changed } = words.payment;
  if (amountHasChanged) return { tone: 'plain', text: changed };
  const last = invoice.attempts.at(-1);
  if (last?.status !== 'failed') return null;
  const reason = declineText(last.code, words) ?? notCharged;
  const text = failed(cardText(last.method.label, words), reason);
  // A further decline of the same card would otherwise leave the page as it was.
  const { attempt: count, finishedAt } = last;
  const whichOne = count > 1 && finishedAt !== null ? [attempt(count, time(finishedAt))] : [];
  return { tone: 'bad', text: joinSentences([text, ...whichOne]) };
}

/** What a customer can do who has no card on file. */
function adviceOf(
  canEnterCard: boolean,
  isOnline: boolean,
  hasAccount: boolean,
  { payment }: Wording,
): string[] {
  const transfer = hasAccount ? [payment.byTransfer] : [];
  if (canEnterCard) return transfer;
  return [isOnline ? payment.noCard : payment.notOnline, ...(hasAccount ? transfer : [payment.askSender])];
}

/** The form to enter a card: a list of test cards in a sandbox, and a way to the page of the payment processor otherwise. */
function cardEntryOf(
  invoice: Invoice,
  token: string,
  { cardOnFile, canTakePayments, canAddCard, isSandbox }: HostedPayment,
): HostedInvoiceView['cardEntry'] {
  if (!canTakePayments || !canAddCard) return null;
  const { words, money, joinSentences } = localeOf(invoice);
  const { payment } = words;
  const due = amountToPay(invoice);
  const amount = money(due);
  const testCards = HOSTED_TEST_CARDS.map((value) => ({ value, text: testCardText(value, words) }));
  return {
    path: `${token}/card`,
    amount: due,
    label: cardOnFile === null ? payment.payByCard(amount) : payment.payByOtherCard(amount),
    hint: joinSentences(isSandbox ? [payment.cardIsKept] : [payment.cardPage, payment.cardIsKept]),
    choiceLabel: payment.testCard,
    choices: isSandbox ? testCards : [],
  };
}

/** The last digits of a test card and what happens with it, such as "0002 – The card was declined." */
function testCardText(name: (typeof HOSTED_TEST_CARDS)[number], words: Wording): string {
  const card = TEST_PAYMENT_METHODS[name];
  return `${card.label.slice(-4)} – ${testOutcomeText(card.outcomeOfAttempt(1, 0), words)}`;
}

function testOutcomeText(outcome: ChargeOutcome, words: Wording): string {
  const { notCharged, needsConfirmation, testCardPays } = words.payment;
  switch (outcome.status) {
    case 'succeeded':
      return testCardPays;
    case 'failed':
      return declineText(outcome.code, words) ?? notCharged;
    case 'requires_action':
      return needsConfirmation;
  }
}
