import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { Bill } from '#libs/contexts/subscriptions';
import { invoiceDecider, requireInvoice } from './decider.js';
import type { Invoice } from './invoice.js';
import { subscriptionPartOf } from './invoice-parts.js';

/** Reads invoices for commands, from their streams, never from a read model. */
@Injectable()
export class Invoices {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the invoice. Throws NotFound if the invoice is not in the workspace. */
  async require(...asked: Parameters<Invoices['find']>): Promise<Invoice> {
    return requireInvoice(asked[1], await this.find(...asked));
  }

  /**
   * Returns the invoice. The result is undefined if the invoice does not exist. `suffices` tells whether the state in this process's memory
   * is new enough: see {@link AggregateStore.load}.
   */
  async find(
    workspaceId: string,
    invoiceId: string,
    suffices?: (invoice: Invoice) => boolean,
  ): Promise<Invoice | undefined> {
    return this.aggregates.load(invoiceDecider, aggregateId(workspaceId, invoiceId), suffices);
  }

  /**
   * The part of a bill's invoice that belongs to the bill's subscription. Undefined if the invoice does not exist yet. If `asOf` is given,
   * an invoice that was open by then is as it was then: later credit notes and a later void do not count. An invoice that was opened later
   * is as it is now.
   */
  async findInvoicePartOfBill(
    workspaceId: string,
    { invoiceId, subscriptionId }: Pick<Bill, 'invoiceId' | 'subscriptionId'>,
    asOf?: Instant,
  ): Promise<Invoice | undefined> {
    const present = await this.find(workspaceId, invoiceId);
    const issuedAt = present?.issuedAt ?? null;
    const isOpenThen = asOf !== undefined && issuedAt !== null && issuedAt <= asOf;
    const invoice = isOpenThen
      ? await this.aggregates.loadAsOf(invoiceDecider, aggregateId(workspaceId, invoiceId), asOf)
      : present;
    return invoice && subscriptionPartOf(invoice, subscriptionId);
  }
}
