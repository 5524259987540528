import { Injectable } from '@nestjs/common';
import type { MetricEvent } from '#libs/contexts/catalog';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { ProcessManager, reactTo, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LimitCounters } from './counting/limit-counters.js';
import { LimitRules } from './counting/limit-rules.js';
import type { UsageLimitEvent } from './limits/events.js';

interface Tasks {
  'apply-limit': { limitId: string };
  'apply-metric': { metricId: string };
  'count-again': { customerId: string };
}

/**
 * Puts changed limits in force, in case the process that changed them stopped too early. Updates the limits of a metric that was changed or
 * deleted. If the windows of a customer change, the customer's usage is counted again. The reason: until a process is notified of the
 * change, it counts usage in the old windows.
 */
@Injectable()
export class UsageLimitsProcess extends ProcessManager<Tasks> {
  readonly name = 'usage-limits';

  constructor(
    clock: WorkspaceClock,
    private readonly rules: LimitRules,
    private readonly counters: LimitCounters,
  ) {
    super(clock);
  }

  override readonly react = reactTo<UsageLimitEvent | MetricEvent | CustomerEvent | SubscriptionEvent, Tasks>(
    {
      UsageLimitCreated: ({ data }) => [applyLimit(data)],
      UsageLimitUpdated: ({ data }) => [applyLimit(data)],
      UsageLimitDeleted: ({ data }) => [applyLimit(data)],
      MetricUpdated: ({ data }) => [applyMetric(data)],
      MetricDeleted: ({ data }) => [applyMetric(data)],
      CustomerUpdated: ({ data }) => (data.timezone === undefined ? [] : [countAgain(data)]),
      SubscriptionCreated: ({ data }) => [countAgain(data)],
      SubscriptionResumed: ({ data }) => [countAgain(data)],
      SubscriptionAmended: ({ data }) => [countAgain(data)],
      SubscriptionCanceled: ({ data }) => [countAgain(data)],
    },
  );

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'apply-limit': async ({ limitId }, { workspaceId }) => this.rules.apply(workspaceId, limitId),
    'apply-metric': async ({ metricId }, { workspaceId }) => this.rules.applyMetric(workspaceId, metricId),
    'count-again': async ({ customerId }, { workspaceId }) => {
      await this.counters.countAgain({ workspaceId, customerId });
    },
  };
}

function applyLimit({ limitId }: { limitId: string }): TaskRequest<Tasks> {
  return { name: 'apply-limit', payload: { limitId } };
}

function applyMetric({ metricId }: { metricId: string }): TaskRequest<Tasks> {
  return { name: 'apply-metric', payload: { metricId } };
}

function countAgain({ customerId }: { customerId: string }): TaskRequest<Tasks> {
  return { name: 'count-again', payload: { customerId } };
}
