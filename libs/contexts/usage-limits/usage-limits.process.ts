import { Injectable } from '@nestjs/common';
import type { MetricEvent } from '#libs/contexts/catalog';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LimitRules } from './counting/limit-rules.js';
import { MovedWindows } from './counting/moved-windows.js';
import type { LimitSpan, UsageLimitEvent } from './limits/events.js';

interface Tasks {
  'apply-limit': { limitId: string };
  'apply-metric': { metricId: string };
  'count-again': { customerId: string; spans: readonly LimitSpan[] };
}

/** The spans whose windows follow the customer's time zone, and those whose windows follow its subscriptions. */
const TIME_ZONE_SPANS: readonly LimitSpan[] = ['day', 'month', 'period'];
const PERIODS: readonly LimitSpan[] = ['period'];

/**
 * Puts changed limits in force, in case the process that changed them stopped too early. Updates the limits of a metric that was changed or
 * deleted. If the windows of a customer change, the customer's usage is counted again.
 */
@Injectable()
export class UsageLimitsProcess extends ProcessManager<Tasks> {
  readonly name = 'usage-limits';

  constructor(
    clock: WorkspaceClock,
    private readonly rules: LimitRules,
    private readonly windows: MovedWindows,
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
    CustomerUpdated: ({ data }) => (data.timezone === undefined ? [] : [countAgain(data, TIME_ZONE_SPANS)]),
    SubscriptionCreated: ({ data }) => [countAgain(data, PERIODS)],
    SubscriptionResumed: ({ data }) => [countAgain(data, PERIODS)],
    SubscriptionAmended: ({ data }) => [countAgain(data, PERIODS)],
    SubscriptionCanceled: ({ data }) => [countAgain(data, PERIODS)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'apply-limit': async ({ limitId }, { workspaceId }) => this.rules.apply(workspaceId, limitId),
    'apply-metric': async ({ metricId }, { workspaceId }) => this.rules.applyMetric(workspaceId, metricId),
    // Tasks of earlier versions have no spans.
    'count-again': async ({ customerId, spans = TIME_ZONE_SPANS }, { workspaceId }) =>
      this.windows.apply(workspaceId, customerId, spans),
  };
}

function applyLimit({ limitId }: { limitId: string }): TaskRequest<Tasks> {
  return { name: 'apply-limit', payload: { limitId } };
}

function applyMetric({ metricId }: { metricId: string }): TaskRequest<Tasks> {
  return { name: 'apply-metric', payload: { metricId } };
}

function countAgain({ customerId }: { customerId: string }, spans: readonly LimitSpan[]): TaskRequest<Tasks> {
  return { name: 'count-again', payload: { customerId, spans } };
}
