import { Decimal } from 'decimal.js';
import type { Moment } from './calendar.ts';
import type { Catalog } from './catalog.ts';
import type { FeeName } from './charge.ts';
import { CREDIT_TYPE_NAMES, type CreditLineName, type CreditTypeName } from './credits.ts';
import type { SeenMonth, SeenRevenue } from './revenue.ts';
import type { SeenPurchase } from './wallet.ts';

/** What the properties look at of the API's answers. */
export interface SeenLine {
  readonly id: string;
  readonly type: string;
  readonly quantity: number;
  readonly description: string;
  readonly creditType?: CreditTypeName | null;
  readonly priceId: string | null;
  readonly amount: number;
  readonly discount?: number;
  readonly periodStart: string;
  readonly periodEnd: string;
}

/** What an invoice says that prepaid credits paid for. */
export interface SeenCreditsUsed {
  readonly creditType: CreditTypeName;
  readonly credits: number;
}

export interface SeenInvoice {
  readonly id: string;
  readonly kind: string;
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly createdAt: string;
  readonly issuedAt: string | null;
  readonly paidAt: string | null;
  readonly voidedAt: string | null;
  readonly paymentRetries: { readonly nextAttemptAt: string | null; readonly ended: string | null } | null;
  readonly total: number;
  readonly subtotal: number;
  readonly discounts: readonly {
    readonly redemptionId: string;
    readonly couponId: string;
    readonly amount: number;
  }[];
  readonly taxes: readonly { readonly taxable: number; readonly amount: number }[];
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly amountCredited: number;
  readonly balanceApplied: number;
  readonly amountReduced: number;
  readonly excessTo: 'balance' | 'refund';
  readonly refunds: readonly {
    readonly byInvoiceId: string;
    readonly amount: number;
    readonly refundedAtProcessor: number;
  }[];
  readonly balanceCredited: number;
  /** Refunds in the dashboard of the payment processor. */
  readonly gatewayRefunds: readonly { readonly amount: number; readonly takenBack: number }[];
  readonly disputes: readonly {
    readonly amount: number;
    readonly status: string;
    readonly takenBack: number;
  }[];
  readonly payments: readonly SeenPayment[];
  readonly lines: readonly SeenLine[];
  readonly creditsUsed: readonly SeenCreditsUsed[];
}

/** A payment outside the gateway, or from the balance. */
export interface SeenPayment {
  readonly id: string;
  readonly status: 'pending' | 'succeeded' | 'reversed';
  readonly method: string;
  readonly amount: number;
  readonly balanceCredited: number;
}

/** The next invoice as `compute` or the preview of an amendment shows it. */
export interface SeenPreview {
  readonly billedAt: string;
  readonly total: number;
  readonly balanceCredited: number;
  readonly lines: readonly SeenLine[];
  readonly creditsUsed: readonly SeenCreditsUsed[];
}

export interface SeenNote {
  readonly id: string;
  readonly invoiceId: string;
  readonly issuedAt: string;
  readonly total: number;
  readonly refundAmount: number;
  readonly refundedAtProcessor: number;
  readonly balanceAmount: number;
  readonly lines: readonly { readonly lineId: string; readonly amount: number }[];
}

export interface SeenSubscription {
  readonly id: string;
  readonly status: string;
  readonly planId: string;
  readonly currentPeriodStart: string | null;
  readonly currentPeriodEnd: string | null;
  readonly prices: readonly {
    readonly priceId: string;
    readonly version: number;
    readonly quantity: number | null;
  }[];
}

export interface SeenBlock {
  readonly id: string;
  readonly source: string;
  readonly status: 'pending_payment' | 'scheduled' | 'active';
  readonly amount: number;
  readonly remaining: number;
  readonly priority: number;
  readonly effectiveAt: string | null;
  readonly expiresAt: string | null;
  readonly invoiceId: string | null;
}

export interface SeenWallet {
  readonly creditType: CreditTypeName;
  readonly balance: number;
  readonly blocks: readonly SeenBlock[];
}

export interface SeenLedgerEntry {
  readonly type: string;
  readonly creditType: CreditTypeName;
  readonly amount: number;
  readonly balance: number;
  readonly overage: number;
}

/** A charge of an invoice. */
export interface SeenAttempt {
  readonly createdAt: string;
  readonly status: string;
  readonly amount: number;
  readonly failureCode: string | null;
  readonly retry: number | null;
}

/** Everything that can be seen of a customer at one time. */
export interface Sight {
  readonly invoices: readonly SeenInvoice[];
  readonly notes: readonly SeenNote[];
  readonly balance: number;
  readonly subscription: SeenSubscription;
  /** The attempts to charge each invoice, by its id; empty if the history is not about payments. */
  readonly attempts: Readonly<Record<string, readonly SeenAttempt[]>>;
  readonly wallets: readonly SeenWallet[];
  /** The changes of all wallets. */
  readonly changes: readonly SeenLedgerEntry[];
  /** The balance of each account of the ledger: debits less credits. Empty if the history is not about payments. */
  readonly accounts: Readonly<Record<string, number>>;
  /** The revenue of the customer from its first month to the end of each, and that of all customers by month. Absent before the end. */
  readonly revenue?: { readonly customers: readonly SeenRevenue[]; readonly months: readonly SeenMonth[] };
  /** What the books have for credits that were not used. */
  readonly prepaid: number;
}

/** What the invoices that were made at one instant say of one price: before taxes. */
export interface Billed {
  charged: Decimal;
  discount: Decimal;
  /** Late usage, before coupons. */
  late: Decimal;
  lateDiscount: Decimal;
  lateLines: SeenLine[];
  givenBack: Decimal;
  lines: SeenLine[];
  invoiceIds: string[];
}

/** Lines by the instant of their invoice and their price: `1767225600000 basic`. */
export function billedBy(invoices: readonly SeenInvoice[], catalog: Catalog): Map<string, Billed> {
  const billed = new Map<string, Billed>();
  for (const invoice of invoices)
    for (const line of invoice.lines) {
      const name = catalog.priceOf(line.priceId) ?? creditLineName(line) ?? 'no price';
      const key = keyOf(Date.parse(invoice.createdAt), name);
      const one = billed.get(key) ?? nothingBilled();
      billed.set(key, one);
      const discount = new Decimal(line.discount ?? 0);
      if (line.type === 'late_usage') {
        one.late = one.late.plus(line.amount);
        one.lateDiscount = one.lateDiscount.plus(discount);
        one.lateLines.push(line);
      } else if (line.amount < 0) one.givenBack = one.givenBack.minus(line.amount).plus(discount);
      else {
        one.charged = one.charged.plus(line.amount);
        one.discount = one.discount.plus(discount);
        one.lines.push(line);
      }
      if (!one.invoiceIds.includes(invoice.id)) one.invoiceIds.push(invoice.id);
    }
  return billed;
}

export function nothingBilled(): Billed {
  const none = new Decimal(0);
  return {
    charged: none,
    discount: none,
    late: none,
    lateDiscount: none,
    lateLines: [],
    givenBack: none,
    lines: [],
    invoiceIds: [],
  };
}

/** The line's name in the model if it is about credits. */
function creditLineName(line: SeenLine): CreditLineName | undefined {
  const bought = purchasedType(line);
  if (bought) return `purchase of ${bought}`;
  return line.type === 'overage' && line.creditType ? `overage of ${line.creditType}` : undefined;
}

/** The credit type that a line sells. */
function purchasedType({ type, creditType }: SeenLine): CreditTypeName | undefined {
  return type === 'credit_purchase' ? CREDIT_TYPE_NAMES.find((name) => name === creditType) : undefined;
}

/** The purchases among invoices. */
export function purchasesIn(invoices: readonly SeenInvoice[]): SeenPurchase[] {
  return invoices.flatMap(({ id, createdAt, lines, status, balanceApplied, total }) =>
    lines.flatMap((line) => {
      const type = purchasedType(line);
      if (!type) return [];
      const isPaidByBalance = status === 'paid' && balanceApplied === total;
      return [{ type, at: Date.parse(createdAt), credits: line.quantity, invoiceId: id, isPaidByBalance }];
    }),
  );
}

export function keyOf(at: Moment, price: FeeName | 'no price'): string {
  return `${at} ${price}`;
}
