import type { CreditNoteReason, RecordedPaymentMethod } from '#libs/contexts/invoicing';
import type { LineNote } from '#libs/rating';

/** Texts that templates print unchanged. */
export interface Labels {
  readonly billTo: string;
  readonly description: string;
  readonly quantity: string;
  readonly unitPrice: string;
  /** The heading of the column with the lines' tax percentages. */
  readonly taxRate: string;
  readonly amount: string;
  /** The text in place of the lines, if the invoice has none. */
  readonly nothingCharged: string;
  /** The text before the address of the hosted page. */
  readonly viewAndPay: string;
  /** The same for an invoice that cannot be paid there. */
  readonly viewOnline: string;
  readonly downloadPdf: string;
  readonly downloadReceipt: string;
  /** The heading above the list of an invoice's credit notes. */
  readonly creditNotes: string;
  /** The heading above the usage that prepaid credits paid for. */
  readonly creditsUsed: string;
  /** The notice that the invoice is from a sandbox. */
  readonly sandbox: string;
  readonly vatId: string;
  readonly taxNumber: string;
  readonly registrationNumber: string;
  readonly phone: string;
  /** The text before the seller's bank account. */
  readonly payTo: string;
  /** The text beside the QR code of a transfer. */
  readonly scanToPay: string;
}

/**
 * All texts of documents in one language. The compiler reports a language in which a text is missing. The values in the texts (amounts,
 * dates, numbers, names) are already formatted. `isOne` tells whether the noun after a number is in the singular.
 */
export interface Wording {
  /** The locales for numbers and dates. */
  readonly locale: { readonly numbers: string; readonly dates: string };
  /** Writes a period from one day to another. `period` is null if Intl writes the days of a period in the same way as single days. */
  readonly period: ((first: string, last: string) => string) | null;
  /** The text between two sentences: a space, or nothing. */
  readonly betweenSentences: ' ' | '';
  readonly labels: Labels;
  /** The texts before, between and after the page's number and the number of pages. */
  readonly pageNumber: readonly [string, string, string];
  /** Writes the price of many units, such as `$0.15 per 1,000,000`. */
  readonly priceOfMany: (price: string, units: string) => string;

  /** The title of an invoice. */
  readonly invoice: string;
  readonly creditNote: string;
  /** The title of a receipt. */
  readonly receipt: string;
  /** The word that a draft shows in place of a number. */
  readonly draft: string;
  /** Adds the name of the seller to the title of a page or PDF. */
  readonly titleFrom: (title: string, seller: string) => string;
  readonly stamps: {
    readonly draft: string;
    readonly paid: string;
    /** The stamp of an invoice that was settled without a payment. */
    readonly settled: string;
    readonly void: string;
  };
  /** The labels of the document's dates and numbers, for example before the date of issue. */
  readonly facts: {
    readonly created: string;
    readonly issued: string;
    readonly due: string;
    readonly period: string;
    readonly invoice: string;
    readonly reason: string;
    /** The label of the paid invoice, on a receipt. */
    readonly ofInvoice: string;
    /** The label of the day of payment, on a receipt. */
    readonly paid: string;
    /** The label of the payment method, on a receipt. */
    readonly paymentMethod: string;
    /** The number of the customer's purchase order. */
    readonly poNumber: string;
  };
  /** The text next to the main amount. */
  readonly headline: {
    readonly draft: string;
    readonly due: (day: string) => string;
    /** The text on the hosted page after the day on which the invoice was due. */
    readonly overdue: (day: string) => string;
    readonly paid: (day: string) => string;
    readonly settled: (day: string) => string;
    readonly void: (day: string) => string;
    readonly credited: string;
  };
  /** The texts of the lines of invoices and credit notes. */
  readonly line: {
    readonly notes: Readonly<Record<LineNote, (name: string) => string>>;
    /** A number of prepaid credits. */
    readonly credits: (quantity: string, isOne: boolean) => string;
    /** The heading above overage, on an invoice of several subscriptions. */
    readonly prepaidCredits: string;
    /** Says that the period `period` is a part of the period `whole`. */
    readonly partOf: (period: string, whole: string) => string;
    /**
     * `atLeast`: the price's minimum is charged, since `amount` is less. `atMost`: the price's maximum is charged, since `amount` is more.
     */
    readonly atLeast: (amount: string) => string;
    readonly atMost: (amount: string) => string;
    /**
     * The texts before the present amount and the already billed amount of a period. `quantity` is null if the period has several
     * quantities.
     */
    readonly byNow: (quantity: string | null) => string;
    readonly billedBefore: (quantity: string | null) => string;
    /** Compares the present and the already billed quantity of one group of the usage. */
    readonly groupChange: (group: string, byNow: string, billedBefore: string) => string;
    /** The text before the amount of the line, if it is not the difference of the present and the already billed amount. */
    readonly lessTakenOff: string;
    /** The texts about the parts of a plan's minimum commitment, and about the charges of the commitment's period. */
    readonly commitment: {
      readonly part: (minimum: string, period: string) => string;
      readonly due: string;
      readonly counted: string;
      readonly countedByNow: string;
      readonly countedBefore: string;
    };
  };
  /** The texts that explain the price of a tier; see `tierText`. */
  readonly tier: {
    readonly upTo: (bound: string, rest: string) => string;
    readonly above: (rest: string) => string;
    readonly flat: (quantity: string) => string;
    readonly free: (quantity: string) => string;
    /** Adds the number of events to `what`, as in `$100.00 in 3 events`. */
    readonly inEvents: (what: string, events: string, isOne: boolean) => string;
    readonly packages: (
      quantity: string,
      packages: string,
      isOne: boolean,
      size: string,
      price: string,
    ) => string;
    readonly percentageOf: (percentage: string, amount: string) => string;
    readonly eachEvent: (fee: string) => string;
  };
  /** The labels of the totals below the lines. */
  readonly totals: {
    readonly subtotal: string;
    readonly total: (currency: string) => string;
    /** The total after discounts, without any tax. */
    readonly net: string;
    /** Says that the amounts contain this tax. */
    readonly contains: (tax: string) => string;
    /** A tax with its taxable amount, such as `VAT 19% on $100.00`. */
    readonly taxOn: (tax: string, taxable: string) => string;
    /** The text for the untaxed amount, if other lines have a tax. */
    readonly noTaxOn: (amount: string) => string;
    readonly fromBalance: string;
    /** The amount that was too small to be charged, and that the next invoice collects. */
    readonly carriedForward: string;
    /** The amount of earlier invoices that this invoice collects. */
    readonly carriedFromEarlier: string;
    /** The amount that an invoice gives back. It reduces the customer's debt, is refunded to a card, or goes to the customer's balance. */
    readonly excess: string;
    readonly creditNote: (number: string) => string;
    /** The amount by which a later invoice reduced the amount due. */
    readonly givenBack: string;
    readonly paid: string;
    /** A payment outside the gateway. */
    readonly paidOn: (day: string) => string;
    readonly due: string;
    /** The label of the amount due, if no other row names the currency. */
    readonly dueIn: (currency: string) => string;
    /** The text for a credit note that went to the balance and did not reduce the amount due. `note` has its number. */
    readonly creditNoteToBalance: (note: string) => string;
    readonly creditNoteRefunded: (note: string) => string;
  };
  /** Says why no tax is charged. */
  readonly noTax: (reason: string) => string;
  /** The sentences below the totals of an invoice, which say how it was paid or until when to pay it. */
  readonly note: {
    readonly draft: string;
    readonly dueBy: (day: string) => string;
    /** The note on an invoice that was paid by a payment outside the gateway. */
    readonly paid: (day: string) => string;
    readonly paidWith: (day: string, card: string) => string;
    readonly settled: (day: string) => string;
    readonly fromBalance: (amount: string) => string;
    readonly carriedForward: (amount: string) => string;
    readonly givenBack: (amount: string) => string;
    /** The amount by which credit notes reduced the amount due. `notes` has their numbers. */
    readonly credited: (amount: string, notes: string) => string;
    readonly nothingToPay: string;
    /** Says that the invoice gives back more than it charges, and that the rest is added to the customer's balance. */
    readonly excessToBalance: (amount: string) => string;
    readonly excessRefunded: (amount: string) => string;
    readonly voided: (day: string) => string;
  };
  /** The texts of credit notes. */
  readonly credit: {
    readonly reasons: Readonly<Record<CreditNoteReason, string>>;
    readonly onInvoice: (number: string) => string;
    readonly discount: string;
    readonly total: (currency: string) => string;
    readonly takenOff: (amount: string) => string;
    readonly toBalance: (amount: string) => string;
    readonly refunded: (amount: string) => string;
    /** The stamp across a void credit note. */
    readonly voidStamp: string;
    readonly voidSince: (day: string) => string;
    readonly voided: (day: string) => string;
  };
  /** The texts about payments, on the hosted page and in mail. */
  readonly payment: {
    /** The names of the payment methods outside the gateway. */
    readonly methods: Readonly<Record<Exclude<RecordedPaymentMethod, 'balance'>, string>>;
    readonly card: (brand: string, lastDigits: string) => string;
    readonly beingProcessed: string;
    readonly needsConfirmation: string;
    readonly confirm: (amount: string) => string;
    readonly pay: (amount: string) => string;
    readonly willBeCharged: (card: string) => string;
    readonly failed: (card: string, why: string) => string;
    /** Says which attempt to pay failed and when, so that a further failure changes the page. */
    readonly attempt: (count: number, time: string) => string;
    /** The button to pay with the card that did not pay. */
    readonly tryAgain: string;
    /** The reasons of declined payments: see `declineText`. */
    readonly declines: Readonly<
      Record<'card_declined' | 'insufficient_funds' | 'expired_card' | 'not_confirmed', string>
    >;
    /** The buttons to enter a card and pay with it: the first one, and another one. */
    readonly payByCard: (amount: string) => string;
    readonly payByOtherCard: (amount: string) => string;
    /** Says that the card is kept on file for other invoices too. */
    readonly cardIsKept: string;
    /** Says where the card is entered. */
    readonly cardPage: string;
    /** The label of the cards of a sandbox, and what happens with the one that pays. */
    readonly testCard: string;
    readonly testCardPays: string;
    /** The reason of a failed payment for which `declines` has no text. */
    readonly notCharged: string;
    /** Says that no card can pay the amount, and the smallest or the largest amount that a card can pay. */
    readonly notByCard: string;
    readonly cardAtLeast: (amount: string) => string;
    readonly cardAtMost: (amount: string) => string;
    readonly noCard: string;
    readonly notOnline: string;
    /** Says that another amount is due than the one that the customer wanted to pay. */
    readonly amountHasChanged: string;
    /** The advice for the customer if no card can be charged. */
    readonly askSender: string;
    readonly byTransfer: string;
  };
  /** The error pages in place of a hosted invoice. */
  readonly errors: {
    /** The texts for a link that belongs to no invoice. */
    readonly unknown: ErrorWording;
    /** The texts for a page that failed because of an error in the product. */
    readonly failed: ErrorWording;
    /** The texts after too many cards were entered by links. */
    readonly busy: ErrorWording;
  };
}

/** The texts of an error page. */
export interface ErrorWording {
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}
