import { Injectable } from '@nestjs/common';
import type { MetricEvent } from '#libs/contexts/catalog';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LimitRules } from './counting/limit-rules.js';
import { WindowMover } from './counting/window-mover.js';
import type { LimitWindowKind, UsageLimitEvent } from './limits/events.js';

interface Tasks {
  'apply-limit': { limitId: string };
  'apply-metric': { metricId: string };
  'count-again': { customerId: string; spans: readonly LimitWindowKind[]; subscriptionId?: string };
}

/** The kinds of windows that move if the customer's time zone changes. */
const TIME_ZONE_SPANS: readonly LimitWindowKind[] = ['day', 'month', 'period'];
/** The kinds of windows that move if a subscription of the customer changes. */
const SUBSCRIPTION_SPANS: readonly LimitWindowKind[] = ['period'];

/**
 * Puts changed limits in force if the process that changed them stopped before it did so. Updates the limits of a metric that was changed
 * or deleted. If the windows of a customer change, the customer's usage is counted again.
 */
@Injectable()
export class UsageLimitsProcess extends ProcessManager<Tasks> {
  readonly name = 'usage-limits';

  constructor(
    clock: WorkspaceClock,
    private readonly rules: LimitRules,
    private readonly windows: WindowMover,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<
    UsageLimitEvent | MetricEvent | CustomerEvent | SubscriptionEvent,
    Tasks
  >({
    UsageLimitCreated: ({ data }) => [applyLimit(data)],
    UsageLimitUpdated: ({ data }) => [applyLimit(data)],
    UsageLimitDeleted: ({ data }) => [applyLimit(data)],
    MetricUpdated: ({ data }) => [applyMetric(data)],
    MetricDeleted: ({ data }) => [applyMetric(data)],
    CustomerUpdated: ({ data }) => (data.timezone === undefined ? [] : [followTimeZone(data)]),
    SubscriptionCreated: ({ data }) => [followSubscription(data)],
    SubscriptionResumed: ({ data }) => [followSubscription(data)],
    SubscriptionAmended: ({ data }) => [followSubscription(data)],
    SubscriptionCanceled: ({ data }) => [followSubscription(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'apply-limit': async ({ limitId }, { workspaceId }) => this.rules.putInForce(workspaceId, limitId),
    'apply-metric': async ({ metricId }, { workspaceId }) =>
      this.rules.putMetricInForce(workspaceId, metricId),
    // Tasks of earlier versions have no spans or no subscription.
    'count-again': async ({ customerId, spans = TIME_ZONE_SPANS, subscriptionId }, { workspaceId }, task) =>
      this.windows.apply(workspaceId, {
        customerId,
        windowKinds: spans,
        ...(subscriptionId === undefined ? {} : { subscription: { subscriptionId, eventId: task.eventId } }),
      }),
  };
}

function applyLimit({ limitId }: { limitId: string }): TaskRequest<Tasks> {
  return { name: 'apply-limit', payload: { limitId } };
}

function applyMetric({ metricId }: { metricId: string }): TaskRequest<Tasks> {
  return { name: 'apply-metric', payload: { metricId } };
}

function followTimeZone({ customerId }: { customerId: string }): TaskRequest<Tasks> {
  return { name: 'count-again', payload: { customerId, spans: TIME_ZONE_SPANS } };
}

function followSubscription(subscription: {
  customerId: string;
  subscriptionId: string;
}): TaskRequest<Tasks> {
  const { customerId, subscriptionId } = subscription;
  return { name: 'count-again', payload: { customerId, subscriptionId, spans: SUBSCRIPTION_SPANS } };
}
