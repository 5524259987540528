import { Injectable } from '@nestjs/common';
import { AggregateStore, follow, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { CurrentSettings } from '#libs/contexts/invoicing';
import { consolidatedKind, nextDue, type Subscription } from '#libs/contexts/subscriptions';
import { consolidatedInvoiceId, consolidationDecider, type ConsolidatedDue } from './consolidation.js';
import { CustomerSubscriptions } from './customer-subscriptions.js';
import type { Consolidation } from './events.js';

/** More are billed on invoices of their own: an invoice is one event, which the store takes up to a megabyte of. */
const MAX_SUBSCRIPTIONS_TOGETHER = 100;

/** Says which subscriptions of a customer are billed on one invoice, where the workspace's settings want that. */
@Injectable()
export class Consolidations {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentSettings,
    private readonly subscriptions: CustomerSubscriptions,
  ) {}

  /** What could be billed together with what the subscription has due next; undefined if that is billed alone in any case. */
  async dueFor(
    workspaceId: string,
    subscription: Subscription,
  ): Promise<Omit<Consolidation, 'subscriptionIds'> | undefined> {
    const next = nextDue(subscription);
    const kind = consolidatedKind(subscription);
    if (next === null || kind === null) return undefined;
    const { customerId, currency } = subscription;
    const due = { customerId, currency, kind, billedAt: next.at };
    const invoiceId = await this.invoiceIdFor(workspaceId, due);
    return invoiceId === undefined ? undefined : { invoiceId, ...due };
  }

  /** The invoice that all which falls due so is on; undefined if the workspace's settings want one for each subscription. */
  async invoiceIdFor(workspaceId: string, due: ConsolidatedDue): Promise<string | undefined> {
    const { invoiceGrouping } = await this.settings.of(workspaceId);
    return invoiceGrouping === 'customer' ? consolidatedInvoiceId(workspaceId, due) : undefined;
  }

  /** What has been decided for the invoice, if anything has. */
  async find(workspaceId: string, invoiceId: string): Promise<Consolidation | undefined> {
    return this.aggregates.load(consolidationDecider, aggregateId(workspaceId, invoiceId));
  }

  /** Who may be billed together with a subscription, itself among them, in the order of the invoice. */
  async candidates(
    workspaceId: string,
    { customerId, subscriptionId }: Pick<Subscription, 'customerId' | 'subscriptionId'>,
  ): Promise<string[]> {
    const live = await this.subscriptions.of(workspaceId, customerId, MAX_SUBSCRIPTIONS_TOGETHER);
    return live.includes(subscriptionId)
      ? live
      : [...live.slice(0, MAX_SUBSCRIPTIONS_TOGETHER - 1), subscriptionId];
  }

  /** Decides who is on the invoice; answers what was decided before, if somebody was faster. */
  async decide(context: CommandContext, consolidation: Consolidation): Promise<Consolidation> {
    const { invoiceId } = consolidation;
    const id = aggregateId(context.workspaceId, invoiceId);
    const consolidating = follow(context, `consolidate ${invoiceId}`);
    const command = { type: 'ConsolidateInvoice', consolidation } as const;
    return (await this.aggregates.execute(consolidationDecider, id, consolidating, command)).state;
  }
}
