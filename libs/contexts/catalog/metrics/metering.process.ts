import { Injectable } from '@nestjs/common';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { UsageMeters } from '#libs/usage';
import { Catalog } from '../catalog.js';
import type { MetricEvent } from './events.js';

interface Tasks {
  'prepare-meter': { metricId: string };
}

/**
 * Starts counting usage for a metric as soon as the metric exists. Without this process, the meter would be created by the first request
 * for a quantity. Then the first invoice of a month would wait until millions of events are counted.
 */
@Injectable()
export class MeteringProcess extends ProcessManager<Tasks> {
  readonly name = 'metering';

  constructor(
    clock: WorkspaceClock,
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<MetricEvent, Tasks>({
    MetricCreated: ({ data }) => [prepare(data)],
    MetricUpdated: ({ data }) => [prepare(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    // This prepares the current version. If a version is replaced before this task runs, only a later measurement creates its meter.
    'prepare-meter': async ({ metricId }, { workspaceId }) =>
      this.meters.startFolding(await this.catalog.metricDefinition(workspaceId, metricId)),
  };
}

function prepare({ metricId }: { metricId: string }): TaskRequest<Tasks> {
  return { name: 'prepare-meter', payload: { metricId } };
}
