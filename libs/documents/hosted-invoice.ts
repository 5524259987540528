import { amountToPay, attemptRequiringAction, pendingAttempt, type Invoice } from '#libs/invoicing';
import { formatMoney } from './invoice/format.js';
import { invoiceView } from './invoice/invoice-view.js';
import { hostedInvoicePage, type HostedInvoiceView } from './templates/hosted-invoice.js';
import type { Page } from './templates/page.js';

/** How the invoice could be paid on its page. */
export interface HostedPayment {
  /** Label of the card on file: "Visa ending 4242"; `null` if there is none. */
  cardOnFile: string | null;
  /** Whether the workspace can take payments at all. */
  available: boolean;
  sandbox: boolean;
}

type Next = Pick<HostedInvoiceView, 'message' | 'action' | 'refreshSeconds'>;

const REFRESH_SECONDS = 3;
const nothing: Next = { message: null, action: null, refreshSeconds: null };

/** The page behind an invoice's link: the invoice, what became of its payment, and the one thing to do next. */
export function hostedInvoice(
  invoice: Invoice,
  token: string,
  sellerName: string | null,
  payment: HostedPayment,
): Page {
  const view = invoiceView(invoice, sellerName);
  return hostedInvoicePage({
    ...view,
    ...nextStep(invoice, token, payment, view.note),
    pdfPath: `${token}/pdf`,
    sandbox: payment.sandbox,
  });
}

function nextStep(invoice: Invoice, token: string, payment: HostedPayment, note: string): Next {
  switch (invoice.status) {
    case 'draft':
    case 'void':
      return { ...nothing, message: { tone: 'plain', text: note } };
    case 'paid':
      return { ...nothing, message: { tone: 'good', text: note } };
    case 'open':
    case 'uncollectible':
      return toPay(invoice, token, payment);
  }
}

function toPay(invoice: Invoice, token: string, { cardOnFile, available }: HostedPayment): Next {
  const amount = formatMoney(amountToPay(invoice), invoice.currency);
  if (pendingAttempt(invoice))
    return {
      message: { tone: 'plain', text: 'Your payment is being processed. This page looks again by itself.' },
      action: null,
      refreshSeconds: REFRESH_SECONDS,
    };
  const waiting = attemptRequiringAction(invoice);
  if (waiting)
    return {
      message: { tone: 'plain', text: 'Your bank asks you to confirm this payment.' },
      action: {
        path: `${token}/confirm`,
        label: `Confirm payment of ${amount}`,
        hint: `${waiting.method.label} will be charged.`,
      },
      refreshSeconds: null,
    };
  const failed = invoice.attempts.at(-1);
  const message =
    failed?.status === 'failed'
      ? ({
          tone: 'bad',
          text: `The payment with ${failed.method.label} did not go through: ${failed.message}`,
        } as const)
      : null;
  if (!available || cardOnFile === null)
    return {
      ...nothing,
      message: message ?? {
        tone: 'plain',
        text: available
          ? 'There is no card on file to pay with. Please ask the sender how to pay.'
          : 'This invoice cannot be paid online. Please ask the sender how to pay.',
      },
    };
  return {
    message,
    action: { path: `${token}/pay`, label: `Pay ${amount}`, hint: `${cardOnFile} will be charged.` },
    refreshSeconds: null,
  };
}
