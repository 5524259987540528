import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeCreditType, CreateCreditType, creditTypeDecider } from '#libs/contexts/credits';
import { ChangeSubscription, CreateSubscription, type SubscriptionEvent } from '#libs/contexts/subscriptions';
import { eventTypesOf } from '#libs/kernel/domain';
import { ChargeDirectory, type ChargeTest } from '#libs/usage';
import { CreditTypeQueries } from '#projections/credit-types';
import { SubscriptionQueries } from '#projections/subscriptions';
import { WorkspaceCaches, type WorkspaceCache } from './workspace-cache.js';

/** The largest number of customers of one workspace whose charged metrics are remembered. */
const MAX_CUSTOMERS = 10_000;

/** The types of the subscription events that change which metrics a customer is charged for. Renewals, for example, do not. */
const SUBSCRIPTION_CHANGES: SubscriptionEvent['type'][] = [
  'SubscriptionCreated',
  'SubscriptionAmended',
  'SubscriptionCanceled',
];

/** What is charged in a workspace. */
interface KnownCharges {
  /** The metrics whose usage costs credits, for every customer. */
  readonly creditMetricIds: ReadonlySet<string>;
  /** The metrics that prices charge, by customer, for the customers that were read so far. */
  readonly metricIdsByCustomer: LRUCache<string, ReadonlySet<string>>;
}

/** Tells which usage prices and credits charge to customers, from memory. */
@Injectable()
export class RememberedCharges extends ChargeDirectory {
  private readonly cache: WorkspaceCache<KnownCharges>;

  constructor(
    private readonly subscriptions: SubscriptionQueries,
    creditTypes: CreditTypeQueries,
    caches: WorkspaceCaches,
  ) {
    super();
    this.cache = caches.create<KnownCharges>({
      eventTypes: [...SUBSCRIPTION_CHANGES, ...eventTypesOf(creditTypeDecider)],
      read: async (workspaceId) => {
        const types = await creditTypes.allCreditTypes(workspaceId);
        return {
          creditMetricIds: new Set(types.flatMap(({ rates }) => rates.map(({ metricId }) => metricId))),
          metricIdsByCustomer: new LRUCache({ max: MAX_CUSTOMERS }),
        };
      },
      workspaceChangedBy: (command) =>
        command instanceof CreateSubscription ||
        command instanceof ChangeSubscription ||
        command instanceof ChangeCreditType ||
        command instanceof CreateCreditType
          ? command.context.workspaceId
          : undefined,
    });
  }

  async chargeTestFor(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ChargeTest> {
    const { creditMetricIds, metricIdsByCustomer } = await this.cache.dataOf(workspaceId);
    // The cache can forget a customer while this request still asks for it.
    const charged = new Map<string, ReadonlySet<string>>();
    const unknown: string[] = [];
    for (const customerId of customerIds) {
      const known = metricIdsByCustomer.get(customerId);
      if (known) charged.set(customerId, known);
      else unknown.push(customerId);
    }
    if (unknown.length > 0) {
      const found = await this.subscriptions.chargedMetricIds(workspaceId, unknown);
      for (const customerId of unknown) {
        const metricIds = found.get(customerId) ?? NONE;
        charged.set(customerId, metricIds);
        metricIdsByCustomer.set(customerId, metricIds);
      }
    }
    return (customerId, metricId) =>
      creditMetricIds.has(metricId) || (charged.get(customerId)?.has(metricId) ?? false);
  }
}

const NONE: ReadonlySet<string> = new Set();
