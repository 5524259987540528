import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { consolidatedBillKind, nextDueChange, type Subscription } from '#libs/contexts/subscriptions';
import { consolidatedInvoiceId, consolidationDecider, type ConsolidationKey } from './consolidation.js';
import { CustomerSubscriptionFinder } from './customer-subscription-finder.js';
import type { Consolidation } from './events.js';

/**
 * The maximum number of subscriptions on one invoice. Further subscriptions get separate invoices. The number is limited because an invoice
 * is one event, and the event store accepts events of up to one megabyte.
 */
const MAX_SUBSCRIPTIONS_TOGETHER = 100;

/** Decides which subscriptions of a customer share an invoice, if the workspace's settings ask for one invoice per customer. */
@Injectable()
export class Consolidations {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentBillingSettings,
    private readonly subscriptions: CustomerSubscriptionFinder,
  ) {}

  /**
   * The consolidated invoice that can contain the subscription's next bill. Undefined if the subscription's next bill gets its own invoice.
   */
  async nextConsolidatedInvoice(
    workspaceId: string,
    subscription: Subscription,
  ): Promise<Omit<Consolidation, 'subscriptionIds'> | undefined> {
    const next = nextDueChange(subscription);
    const kind = consolidatedBillKind(subscription);
    if (next === null || kind === null) return undefined;
    const { customerId, currency } = subscription;
    const due = { customerId, currency, kind, billedAt: next.at };
    const invoiceId = await this.invoiceIdFor(workspaceId, due);
    return invoiceId === undefined ? undefined : { invoiceId, ...due };
  }

  /** The id of the consolidated invoice. Undefined if the workspace's settings ask for one invoice per subscription. */
  async invoiceIdFor(workspaceId: string, due: ConsolidationKey): Promise<string | undefined> {
    const { invoiceGrouping } = await this.settings.ofWorkspace(workspaceId);
    return invoiceGrouping === 'customer' ? consolidatedInvoiceId(workspaceId, due) : undefined;
  }

  /** Returns the decision about which subscriptions share the invoice. Undefined if this was not decided yet. */
  async findDecision(workspaceId: string, invoiceId: string): Promise<Consolidation | undefined> {
    return this.aggregates.load(consolidationDecider, aggregateId(workspaceId, invoiceId));
  }

  /** The subscriptions that can share an invoice with this subscription, in the order of the invoice. This subscription is included. */
  async candidateSubscriptionIds(
    workspaceId: string,
    { customerId, subscriptionId }: Pick<Subscription, 'customerId' | 'subscriptionId'>,
  ): Promise<string[]> {
    const live = await this.subscriptions.oldestLiveSubscriptionIds(
      workspaceId,
      customerId,
      MAX_SUBSCRIPTIONS_TOGETHER,
    );
    return live.includes(subscriptionId)
      ? live
      : [...live.slice(0, MAX_SUBSCRIPTIONS_TOGETHER - 1), subscriptionId];
  }

  /** Decides which subscriptions share an invoice. If another caller has already decided this, its decision is returned. */
  async decide(context: CommandContext, consolidation: Consolidation): Promise<Consolidation> {
    const { invoiceId } = consolidation;
    const id = aggregateId(context.workspaceId, invoiceId);
    const consolidating = followUpContext(context, `consolidate ${invoiceId}`);
    const command = { type: 'ConsolidateInvoice', consolidation } as const;
    return (await this.aggregates.execute(consolidationDecider, id, consolidating, command)).state;
  }
}
