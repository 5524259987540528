import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Decimal, deriveId, InvalidRequest, sumOf, type Instant } from '#libs/core';
import { follow, type CommandContext } from '#libs/event-store';
import { creditableInvoice, Invoices, IssueCreditNote, type Invoice } from '#libs/invoicing';
import {
  creditableAmount,
  type Charge,
  type CreditRequest,
  type GivenBackLine,
  type LineAmount,
} from '#libs/rating';
import { Subscriptions, type Bill } from '#libs/subscriptions';
import { BillPricing } from '../price/bill-pricing.js';

/** Fees of a subscription that has ended, of which the unused part is to be refunded. */
export interface FeesToRefund {
  readonly subscriptionId: string;
  readonly at: Instant;
  readonly charges: readonly Charge[];
}

/** Refunds what is unused of fees that were paid: by a credit note on each invoice that charged them. */
@Injectable()
export class UnusedFeeRefunds {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly pricing: BillPricing,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Issues the credit notes. What the balance had paid of an invoice goes back there, the rest to the card. Safe to repeat in the same context: a
   * note that is there already stays, whatever is left by then. InvalidRequest (`payment_in_progress`, `credit_exceeds_line`) if an invoice changes meanwhile: try again.
   */
  async issue(context: CommandContext, fees: FeesToRefund): Promise<void> {
    for (const [invoiceId, parts] of await this.unused(context.accountId, fees)) {
      const following = follow(context, `refund ${invoiceId}`);
      const lines = linesToCredit(await this.invoices.require(context.accountId, invoiceId), parts);
      try {
        await this.credit(following, invoiceId, { lines });
      } catch (error) {
        if (!(error instanceof InvalidRequest) || error.code !== 'credit_exceeds_invoice') throw error;
        // Taxes that were rounded in parts can come to a unit more than is left in all.
        await this.credit(following, invoiceId, null);
      }
    }
  }

  /** What is to be given back of which lines, as a bill would give it back, by invoice. */
  private async unused(
    accountId: string,
    { subscriptionId, at, charges }: FeesToRefund,
  ): Promise<Map<string, GivenBackLine[]>> {
    const { customerId, currency } = await this.subscriptions.require(accountId, subscriptionId);
    const bill: Bill = {
      ...{ invoiceId: deriveId('inv', subscriptionId, 'refund', at), kind: 'final', waives: true },
      ...{ subscriptionId, customerId, currency, billedAt: at, periodStart: at, periodEnd: at },
      charges: [...charges],
    };
    const { lines } = await this.pricing.compute(accountId, [bill], { previous: [null] });
    const given = lines.flatMap(({ givesBack = [] }) => givesBack);
    return Map.groupBy(given, ({ invoiceId }) => invoiceId);
  }

  private async credit(
    context: CommandContext,
    invoiceId: string,
    credit: CreditRequest | null,
  ): Promise<void> {
    const request = { reason: 'order_change', memo: null, credit, target: null } as const;
    await this.commands.execute(new IssueCreditNote(context, invoiceId, request));
  }
}

/** Amounts of lines before their coupons, as a credit note names them, that give back just these parts. */
function linesToCredit(invoice: Invoice, parts: readonly GivenBackLine[]): LineAmount[] {
  const { lines, currency } = creditableInvoice(invoice);
  return [...Map.groupBy(parts, ({ lineId }) => lineId)].map(([id, of]) => {
    const line = lines.find((one) => one.id === id)!;
    const left = Decimal.min(line.left, sumOf(of.map(({ amount }) => amount))).toFixed();
    return { id, amount: creditableAmount({ ...line, left }, currency) };
  });
}
