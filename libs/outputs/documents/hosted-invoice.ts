import {
  amountToPay,
  attemptRequiringAction,
  DEFAULT_BRAND,
  pendingAttempt,
  type DocumentBrand,
  type Invoice,
} from '#libs/contexts/invoicing';
import { cardText } from './invoice/card-text.js';
import { declineText } from './invoice/decline-text.js';
import { invoiceView, type PrintedInvoiceContent } from './invoice/invoice-view.js';
import { hasReceipt } from './invoice/receipt-view.js';
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
  isSandbox: boolean;
}

type Next = Pick<HostedInvoiceView, 'message' | 'action' | 'refreshSeconds'>;

const REFRESH_SECONDS = 3;
/** The size of all pages in memory. A page of 500 lines has about 300 KB. */
const KEPT_BYTES = 32 * 1024 * 1024;
const recentPages = new RecentDocuments<WebPage>(KEPT_BYTES, ({ html }) => html.length);

const nothing: Next = { message: null, action: null, refreshSeconds: null };

/**
 * Makes the hosted page to which the link of an invoice leads. The hosted page shows the invoice, the state of its payment, and what the
 * customer can do next.
 */
export function makeHostedInvoicePage(
  invoice: Invoice,
  token: string,
  sellerName: string | null,
  payment: HostedPayment,
  brand: DocumentBrand = DEFAULT_BRAND,
): WebPage {
  const name = `${invoice.invoiceId} ${token}`;
  const madeFrom = [invoice, sellerName, payment, brand];
  const known = recentPages.find(name, madeFrom);
  if (known !== undefined) return known;
  const page = renderPage(invoice, token, sellerName, payment, brand);
  recentPages.keep(name, madeFrom, page);
  return page;
}

function renderPage(
  invoice: Invoice,
  token: string,
  sellerName: string | null,
  payment: HostedPayment,
  brand: DocumentBrand,
): WebPage {
  const view = invoiceView(invoice, sellerName);
  return renderHostedInvoicePage({
    ...view,
    ...brandView(brand),
    brand,
    ...nextStep(invoice, token, payment, view),
    pdfPath: `${token}/pdf`,
    receiptPath: hasReceipt(invoice) ? `${token}/receipt` : null,
    creditNotes: creditNotes(invoice, token),
    sandbox: payment.isSandbox,
  });
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

function toPay(
  invoice: Invoice,
  token: string,
  { cardOnFile, canTakePayments: available }: HostedPayment,
  payTo: string | null,
): Next {
  const { words, money, joinSentences: text } = localeOf(invoice);
  const { payment } = words;
  const amount = money(amountToPay(invoice));
  if (pendingAttempt(invoice))
    return {
      message: { tone: 'plain', text: payment.beingProcessed },
      action: null,
      refreshSeconds: REFRESH_SECONDS,
    };
  const waiting = attemptRequiringAction(invoice);
  if (waiting)
    return {
      message: { tone: 'plain', text: payment.needsConfirmation },
      action: {
        path: `${token}/confirm`,
        label: payment.confirm(amount),
        hint: payment.willBeCharged(cardText(waiting.method.label, words)),
      },
      refreshSeconds: null,
    };
  const failed = invoice.attempts.at(-1);
  const message =
    failed?.status === 'failed'
      ? ({
          tone: 'bad',
          text: payment.failed(
            cardText(failed.method.label, words),
            declineText(failed.code, words) ?? payment.notCharged,
          ),
        } as const)
      : null;
  if (!available || cardOnFile === null) {
    const advice = [
      available ? payment.noCard : payment.notOnline,
      payTo === null ? payment.askSender : payment.byTransfer,
    ];
    return {
      ...nothing,
      message: message
        ? { ...message, text: text([message.text, ...advice]) }
        : { tone: 'plain', text: text(advice) },
    };
  }
  return {
    message,
    action: {
      path: `${token}/pay`,
      label: payment.pay(amount),
      hint: payment.willBeCharged(cardText(cardOnFile, words)),
    },
    refreshSeconds: null,
  };
}
