import { Injectable } from '@nestjs/common';
import { Invoices } from '#libs/invoicing';
import { prepaidInvoices, type CancelOptions, type Subscription } from '#libs/subscriptions';

/** Says which invoices of a subscription are paid: what an end can refund. */
@Injectable()
export class PaidInvoices {
  constructor(private readonly invoices: Invoices) {}

  /**
   * The paid ones among those that charged a fee for later time; none unless an end by these options refunds anything. An invoice that is
   * paid stays so.
   */
  async of(
    accountId: string,
    { prepaid }: Subscription,
    options: CancelOptions | null | undefined,
  ): Promise<string[]> {
    if (options?.credit !== 'refund') return [];
    const invoices = await Promise.all(
      prepaidInvoices(prepaid).map((id) => this.invoices.find(accountId, id)),
    );
    return invoices.flatMap((invoice) => (invoice?.status === 'paid' ? [invoice.invoiceId] : []));
  }
}
