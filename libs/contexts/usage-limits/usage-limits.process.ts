import { Injectable } from '@nestjs/common';
import type { MetricEvent } from '#libs/contexts/catalog';
import { ProcessManager, reactTo, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LimitRules } from './counting/limit-rules.js';
import type { UsageLimitEvent } from './limits/events.js';

interface Tasks {
  'apply-limit': { limitId: string };
  'apply-metric': { metricId: string };
}

/**
 * Puts limits in force as their streams have them, if the process that changed them stopped before it did. Limits on a metric that was changed
 * or deleted follow it.
 */
@Injectable()
export class UsageLimitsProcess extends ProcessManager<Tasks> {
  readonly name = 'usage-limits';

  constructor(
    clock: WorkspaceClock,
    private readonly rules: LimitRules,
  ) {
    super(clock);
  }

  override readonly react = reactTo<UsageLimitEvent | MetricEvent, Tasks>({
    UsageLimitCreated: ({ data }) => [applyLimit(data)],
    UsageLimitUpdated: ({ data }) => [applyLimit(data)],
    UsageLimitDeleted: ({ data }) => [applyLimit(data)],
    MetricUpdated: ({ data }) => [applyMetric(data)],
    MetricDeleted: ({ data }) => [applyMetric(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'apply-limit': async ({ limitId }, { workspaceId }) => this.rules.apply(workspaceId, limitId),
    'apply-metric': async ({ metricId }, { workspaceId }) => this.rules.applyMetric(workspaceId, metricId),
  };
}

function applyLimit({ limitId }: { limitId: string }): TaskRequest<Tasks> {
  return { name: 'apply-limit', payload: { limitId } };
}

function applyMetric({ metricId }: { metricId: string }): TaskRequest<Tasks> {
  return { name: 'apply-metric', payload: { metricId } };
}
