import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { approvalRequestDecider } from '#libs/contexts/approvals';
import { WalletReader, WalletStore, type UnpaidPurchase } from '#libs/contexts/credits';
import { Invoices, MarkUncollectible, VoidInvoice } from '#libs/contexts/invoicing';
import { ChangeSubscription } from '#libs/contexts/subscriptions';
import { InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { CustomerRecordFinder } from './customer-record-finder.js';

const REASON = 'The customer is being erased';

/**
 * The errors of a void that no later attempt avoids. The invoice has credit notes, give-backs, or payments, or its prepaid credits were
 * paid before.
 */
const NOT_VOIDABLE: readonly string[] = [
  'invoice_credited',
  'invoice_given_back',
  'invoice_partly_paid',
  'credits_not_voided',
];

/**
 * Ends everything that is still open for a customer who is to be erased. Subscriptions end immediately, without a last invoice and without
 * a credit for unused time. Approval requests that nobody has decided expire. Drafts and open invoices are voided. Open invoices that cannot be voided are written off. Credits are voided.
 * The customer's money balance stays in the ledger. The void of an invoice gives back the part that the balance has paid.
 */
@Injectable()
export class OpenRecordEnder {
  constructor(
    private readonly commands: CommandBus,
    private readonly records: CustomerRecordFinder,
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly invoices: Invoices,
    private readonly aggregates: AggregateStore,
  ) {}

  /**
   * Ends or voids everything of the customer that can be ended now. Returns true if this call found nothing to end or void, no unpaid
   * purchase of credits whose invoice is not written off, and no invoice that is still to be created.
   */
  async endOpenRecords(context: CommandContext, customerId: string): Promise<boolean> {
    const { workspaceId } = context;
    const { subscriptions, invoices, expectedInvoices, approvalRequests } =
      await this.records.unfinishedRecords(workspaceId, customerId);
    // An approval must not come later than the end of what it is about.
    for (const requestId of approvalRequests)
      await this.aggregates.execute(
        approvalRequestDecider,
        aggregateId(workspaceId, requestId),
        followUpContext(context, `expire ${requestId}`),
        { type: 'ExpireRequest', requestId, at: context.now },
      );
    for (const subscriptionId of subscriptions)
      await unlessOver(['already_canceled'], () =>
        this.commands.execute(
          new ChangeSubscription(followUpContext(context, `cancel ${subscriptionId}`), {
            type: 'CancelSubscription',
            subscriptionId,
            when: 'now',
            at: context.now,
            options: { credit: 'none', finalInvoice: false },
          }),
        ),
      );
    for (const invoiceId of invoices) await this.endInvoice(context, invoiceId);
    const blocks = await this.voidCredits(context, customerId);
    const open = [subscriptions, invoices, expectedInvoices, approvalRequests];
    return open.every(({ length }) => length === 0) && blocks === 0;
  }

  private async endInvoice(context: CommandContext, invoiceId: string): Promise<void> {
    try {
      await unlessOver(['invoice_already_paid', 'invoice_void'], () =>
        this.commands.execute(
          new VoidInvoice(followUpContext(context, `void ${invoiceId}`), invoiceId, REASON),
        ),
      );
    } catch (error) {
      // While a payment is in progress, the step is tried again.
      if (!(error instanceof InvalidRequest) || !NOT_VOIDABLE.includes(error.code)) throw error;
      await unlessOver(['invoice_not_open'], () =>
        this.commands.execute(
          new MarkUncollectible(followUpContext(context, `write off ${invoiceId}`), invoiceId),
        ),
      );
    }
  }

  /**
   * Voids the credits of the customer, and removes automatic top-ups. Unpaid credit purchases are not voided here. A purchase ends when its
   * invoice is void. Returns the number of credit blocks and unpaid credit purchases that this call found. A purchase whose invoice is
   * written off is not counted.
   */
  private async voidCredits(context: CommandContext, customerId: string): Promise<number> {
    const { workspaceId } = context;
    let left = 0;
    for (const { creditType, blocks, unpaid, autoTopUp } of await this.walletReader.ofCustomer(
      workspaceId,
      customerId,
    )) {
      const key = { workspaceId, customerId, creditType };
      left += blocks.length + (await this.countUnfinished(workspaceId, unpaid));
      if (autoTopUp)
        await this.wallets.change(followUpContext(context, `top-up ${creditType}`), key, {
          type: 'RemoveAutoTopUp',
        });
      for (const { blockId } of blocks)
        await this.wallets.change(followUpContext(context, `void ${blockId}`), key, {
          type: 'VoidBlock',
          blockId,
          creditNote: false,
          reason: REASON,
        });
    }
    return left;
  }

  /** Counts the purchases that can still end. A purchase whose invoice is written off stays unpaid. The invoice may not exist yet. */
  private async countUnfinished(workspaceId: string, unpaid: readonly UnpaidPurchase[]): Promise<number> {
    let count = 0;
    for (const { invoiceId } of unpaid)
      if ((await this.invoices.find(workspaceId, invoiceId))?.status !== 'uncollectible') count++;
    return count;
  }
}

/** Runs a command. Ignores errors with one of the given codes, because they mean that the command's effect already exists. */
async function unlessOver(codes: readonly string[], run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof InvalidRequest && codes.includes(error.code))) throw error;
  }
}
