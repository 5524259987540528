import { Injectable } from '@nestjs/common';
import { Conflict } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { GiveBackRecorder, sourceInvoiceIds, type Invoice, type NewInvoice } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { PricedBills } from '../price/priced-bills.js';
import { CouponReserver } from './coupon-reserver.js';
import { composeInvoice } from './new-invoice.js';

/**
 * The maximum number of attempts to price and create an invoice. An attempt fails if another invoice gives back so much of a line meanwhile
 * that too little of the line remains.
 */
const MAX_ATTEMPTS = 5;

/** An invoice to be created, or a draft to be recomputed. */
export interface InvoiceToIssue {
  /** What each subscription charges on the invoice. A shared invoice has several bills. */
  readonly bills: readonly Bill[];
  readonly price: () => Promise<PricedBills>;
  /** The present lines of a draft. Absent for a new invoice. */
  readonly lines?: Invoice['lines'];
}

/** Records the coupon uses and the give-backs of an invoice, before the invoice is created. */
@Injectable()
export class InvoiceIssuer {
  constructor(
    private readonly uses: CouponReserver,
    private readonly giveBacks: GiveBackRecorder,
  ) {}

  /**
   * Prices an invoice, records its coupon uses and give-backs, and creates it with `issue`. If another invoice gives back so much of a line
   * meanwhile that too little of the line remains, the invoice is priced again. `issue` returns the stored invoice. Another process may
   * have created or opened the stored invoice with other lines. Therefore the give-backs of the stored invoice are recorded at the end.
   */
  async recordGiveBacksAndIssue(
    context: CommandContext,
    { bills, price, lines = [] }: InvoiceToIssue,
    issue: (computed: NewInvoice) => Promise<Invoice>,
  ): Promise<Invoice> {
    for (let attempt = 1; ; attempt++) {
      const priced = await this.uses.priceAndReserveCoupons(context, bills, price);
      const computed = composeInvoice(bills, priced);
      const before = [...sourceInvoiceIds(lines), ...possibleSourceIds(bills, priced)];
      try {
        await this.giveBacks.record(context, computed, before);
        const issued = await issue(computed);
        await this.giveBacks.record(context, issued, [...sourceInvoiceIds(computed.lines), ...before]);
        return issued;
      } catch (error) {
        const isRace = error instanceof Conflict && error.code === 'give_back_exceeds_line';
        if (!isRace || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/**
 * The earlier invoices on which a crashed process may have recorded a give-back of this invoice. The give-back records of these earlier
 * invoices are updated to match this invoice.
 */
function possibleSourceIds(bills: readonly Bill[], { parts }: PricedBills): string[] {
  const ofCharges = bills.flatMap(({ charges }) =>
    charges.flatMap(({ refund, invoicedBy = [] }) => [...(refund ? [refund.invoiceId] : []), ...invoicedBy]),
  );
  return [...parts.flatMap(({ searchedInvoiceIds = [] }) => searchedInvoiceIds), ...ofCharges];
}
