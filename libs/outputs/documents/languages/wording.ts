import type { CreditNoteReason } from '#libs/contexts/invoicing';
import type { LineNote } from '#libs/rating';

/** Texts that templates print as they stand. */
export interface Labels {
  readonly billTo: string;
  readonly description: string;
  readonly quantity: string;
  readonly unitPrice: string;
  /** Above the percentages of lines. */
  readonly taxRate: string;
  readonly amount: string;
  readonly nothingCharged: string;
  /** Stands before the address of the hosted page. */
  readonly viewAndPay: string;
  readonly downloadPdf: string;
  readonly downloadReceipt: string;
  /** Above the list of an invoice's credit notes. */
  readonly creditNotes: string;
  readonly sandbox: string;
  readonly vatId: string;
  readonly registrationNumber: string;
  readonly phone: string;
  /** Stands before the seller's bank account. */
  readonly payTo: string;
}

/**
 * All that documents say of their own accord, in one language: a text that a language does not have does not compile. What is put
 * in (amounts, dates, numbers, names) is written out already; `isOne` says that a number is in the singular.
 */
export interface Wording {
  /** The locales that numbers and dates are written by. */
  readonly locale: { readonly numbers: string; readonly dates: string };
  /** A period from one day to another, where Intl writes it unlike the days; else null. */
  readonly period: ((first: string, last: string) => string) | null;
  readonly labels: Labels;
  /** What stands before, between and after the page's number and the number of pages. */
  readonly pageNumber: readonly [string, string, string];

  readonly invoice: string;
  readonly creditNote: string;
  /** What says that an invoice was paid. */
  readonly receipt: string;
  /** Instead of a number. */
  readonly draft: string;
  readonly titleFrom: (title: string, seller: string) => string;
  readonly stamps: {
    readonly draft: string;
    readonly paid: string;
    /** Nothing is owed any more, and nothing was paid. */
    readonly settled: string;
    readonly void: string;
  };
  readonly facts: {
    readonly created: string;
    readonly issued: string;
    readonly due: string;
    readonly period: string;
    readonly invoice: string;
    readonly reason: string;
    /** On a receipt: the invoice, when it was paid, and with what. */
    readonly ofInvoice: string;
    readonly paid: string;
    readonly paymentMethod: string;
    /** The number of the customer's purchase order. */
    readonly poNumber: string;
  };
  /** What is said beside the amount. */
  readonly headline: {
    readonly draft: string;
    readonly due: (day: string) => string;
    readonly paid: (day: string) => string;
    readonly settled: (day: string) => string;
    readonly void: (day: string) => string;
    readonly credited: string;
  };
  readonly line: {
    readonly notes: Readonly<Record<LineNote, (name: string) => string>>;
    /** `period`, which is a part of `whole`. */
    readonly partOf: (period: string, whole: string) => string;
    /** `amount` is more than the price's maximum, which is charged instead. */
    readonly atLeast: (amount: string) => string;
    readonly atMost: (amount: string) => string;
    /** What a period comes to by now, and what was billed for it; quantities are null where there are several. */
    readonly byNow: (quantity: string | null) => string;
    readonly billedBefore: (quantity: string | null) => string;
    readonly groupChange: (group: string, byNow: string, billedBefore: string) => string;
    readonly lessTakenOff: string;
    /** How a plan's minimum commitment comes about, and what the charges of its time come to. */
    readonly commitment: {
      readonly part: (minimum: string, period: string) => string;
      readonly due: string;
      readonly counted: string;
      readonly countedByNow: string;
      readonly countedBefore: string;
    };
  };
  readonly tier: {
    readonly upTo: (bound: string, rest: string) => string;
    readonly above: (rest: string) => string;
    readonly flat: (quantity: string) => string;
    readonly free: (quantity: string) => string;
    /** `what`, which was in so many events. */
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
  readonly totals: {
    readonly subtotal: string;
    readonly total: (currency: string) => string;
    /** After discounts, without any tax. */
    readonly net: string;
    /** A tax that is in the amounts. */
    readonly contains: (tax: string) => string;
    /** A tax with what it is on: `VAT 19% on $100.00`. */
    readonly taxOn: (tax: string, taxable: string) => string;
    /** What no tax is on, where other lines have one. */
    readonly noTaxOn: (amount: string) => string;
    readonly fromBalance: string;
    /** What an invoice gives back: off what is owed, or to the balance. */
    readonly excess: string;
    readonly creditNote: (number: string) => string;
    /** What a later invoice took off. */
    readonly givenBack: string;
    readonly paid: string;
    readonly due: string;
    /** Where a credit note, named with its number, went that took nothing off what is due. */
    readonly creditNoteToBalance: (note: string) => string;
    readonly creditNoteRefunded: (note: string) => string;
  };
  readonly noTax: (reason: string) => string;
  readonly note: {
    readonly draft: string;
    readonly dueBy: (day: string) => string;
    readonly paidWith: (day: string, card: string) => string;
    readonly settled: (day: string) => string;
    readonly fromBalance: (amount: string) => string;
    readonly givenBack: (amount: string) => string;
    /** What credit notes, named by their numbers, took off. */
    readonly credited: (amount: string, notes: string) => string;
    readonly nothingToPay: string;
    /** Where what is given back beyond what is charged goes. */
    readonly excessToBalance: (amount: string) => string;
    readonly excessRefunded: (amount: string) => string;
    readonly voided: (day: string) => string;
  };
  readonly credit: {
    readonly reasons: Readonly<Record<CreditNoteReason, string>>;
    readonly onInvoice: (number: string) => string;
    readonly discount: string;
    readonly total: (currency: string) => string;
    readonly takenOff: (amount: string) => string;
    readonly toBalance: (amount: string) => string;
    readonly refunded: (amount: string) => string;
    /** Stamped across a note that is void. */
    readonly voidStamp: string;
    readonly voidSince: (day: string) => string;
    readonly voided: (day: string) => string;
  };
  readonly payment: {
    readonly card: (brand: string, lastDigits: string) => string;
    readonly beingProcessed: string;
    readonly needsConfirmation: string;
    readonly confirm: (amount: string) => string;
    readonly pay: (amount: string) => string;
    readonly willBeCharged: (card: string) => string;
    readonly failed: (card: string, why: string) => string;
    /** By the gateway's code; what has another code is told in the gateway's words. */
    readonly declines: Readonly<Record<'card_declined' | 'insufficient_funds' | 'expired_card', string>>;
    readonly noCard: string;
    readonly notOnline: string;
    /** What to do then. */
    readonly askSender: string;
    readonly byTransfer: string;
  };
}
