import type { DunningTemplate } from '#libs/contexts/dunning';

/** The texts of a mail: its subject and its first paragraph. */
export interface MailText<Values extends string[]> {
  readonly subject: (...values: Values) => string;
  readonly text: (...values: Values) => string;
}

/**
 * All texts of mail to customers in one language. The compiler reports a language in which a text is missing. The values (amounts, days,
 * numbers, names) are already formatted. `seller` is the name of the seller.
 */
export interface MailWording {
  /** The first line of a mail, which greets the customer by name. */
  readonly greeting: (name: string) => string;
  /** The text before the address of the link, for mail programs that show no button. */
  readonly linkHint: string;
  /** The label of the button that leads to an invoice with an amount to pay. */
  readonly viewAndPay: string;
  /** The label of the button that leads to an invoice, without a request to pay. */
  readonly view: string;
  /** The label of the button with which the customer confirms a payment. */
  readonly confirm: string;
  readonly invoice: MailText<[number: string, seller: string]>;
  readonly receipt: MailText<[number: string, seller: string]> & {
    /** Says that a part of the invoice was paid, and that the rest is still due. */
    readonly partly: (number: string) => string;
  };
  readonly paymentFailed: MailText<[number: string, seller: string]> & {
    /** Says that the card will be charged again at `time`. */
    readonly nextAttempt: (time: string) => string;
    readonly noFurtherAttempt: string;
  };
  readonly actionRequired: MailText<[number: string, seller: string]>;
  readonly creditNote: MailText<[number: string, seller: string]>;
  readonly dunning: Readonly<Record<DunningTemplate, MailText<[seller: string]>>>;
  /** Says that a customer who has paid in the last days can ignore the reminder. */
  readonly alreadyPaid: string;
  /** Says that the subscriptions of the overdue invoices were paused or canceled. */
  readonly subscriptions: { readonly paused: string; readonly canceled: string };
  /** The label of an invoice with its due day. */
  readonly invoiceDue: (number: string, day: string) => string;
  /** Says that the documents are attached to the mail. */
  readonly attached: string;
}
