import { Injectable } from '@nestjs/common';
import { Conflict } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { GiveBacks, sourcesOf, type Invoice, type NewInvoice } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { PricedBills } from '../price/priced-bills.js';
import { CouponUses } from './coupon-uses.js';
import { newInvoice } from './new-invoice.js';

/** Each time somebody else gave back something of the same line. */
const MAX_ATTEMPTS = 5;

/** An invoice that is to be made, or computed again. */
export interface Claiming {
  readonly bills: readonly Bill[];
  readonly price: () => Promise<PricedBills>;
  /** The lines that it has so far; absent: it is not there yet. */
  readonly lines?: Invoice['lines'];
}

/** Records what an invoice uses up, before the invoice is made: the uses of its coupons, and what it gives back of earlier invoices. */
@Injectable()
export class GiveBackClaims {
  constructor(
    private readonly uses: CouponUses,
    private readonly giveBacks: GiveBacks,
  ) {}

  /**
   * Prices an invoice, records what it uses up, and issues it by `issue`, which answers it as it is by then. Who finds less left than it
   * computed with, since somebody was faster, computes again. If `issue` answers another one, since somebody else has made it or opened
   * it meanwhile, the give-backs of that are recorded.
   */
  async issue(
    context: CommandContext,
    { bills, price, lines = [] }: Claiming,
    issue: (computed: NewInvoice) => Promise<Invoice>,
  ): Promise<Invoice> {
    for (let attempt = 1; ; attempt++) {
      const priced = await this.uses.price(context, bills[0]!, price);
      const computed = newInvoice(bills, priced);
      const before = [...sourcesOf(lines), ...mayBeRecordedOn(bills, priced)];
      try {
        await this.giveBacks.record(context, computed, before);
        const issued = await issue(computed);
        await this.giveBacks.record(context, issued, [...sourcesOf(computed.lines), ...before]);
        return issued;
      } catch (error) {
        const isRace = error instanceof Conflict && error.code === 'give_back_exceeds_line';
        if (!isRace || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/**
 * The earlier invoices on which another process may have recorded that this invoice gives something back. That process died before it made
 * the invoice, perhaps after this one had looked. So each is asked again.
 */
function mayBeRecordedOn(bills: readonly Bill[], { parts }: PricedBills): string[] {
  const ofCharges = bills.flatMap(({ charges }) =>
    charges.flatMap(({ refund, invoicedBy = [] }) => [...(refund ? [refund.invoiceId] : []), ...invoicedBy]),
  );
  return [...parts.flatMap(({ lookedAt = [] }) => lookedAt), ...ofCharges];
}
