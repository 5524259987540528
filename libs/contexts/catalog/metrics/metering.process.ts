import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '#libs/kernel/domain';
import { ProcessManager, type Task, type TaskRequest } from '#libs/kernel/saga';
import { UsageMeters } from '#libs/usage';
import { Catalog } from '../catalog.js';
import type { MetricEvent } from './events.js';

interface Payload {
  metricId: string;
}

/**
 * Begins to count a metric as soon as there is one. Without it a meter would be made by the first who asks for a quantity,
 * and the first invoice of a month of millions of events would wait until all of them are counted.
 */
@Injectable()
export class MeteringProcess extends ProcessManager {
  readonly name = 'metering';

  constructor(
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {
    super();
  }

  override react(recorded: RecordedEvent): TaskRequest[] {
    const event = recorded as RecordedEvent & MetricEvent;
    switch (event.type) {
      case 'MetricCreated':
      case 'MetricUpdated': {
        const payload: Payload = { metricId: event.data.metricId };
        return [{ name: 'prepare-meter', payload }];
      }
      case 'MetricReferenced':
      case 'MetricDeleted':
        return [];
      default:
        return [];
    }
  }

  /** The version in force by then: nobody waits for one that has been replaced. */
  override async perform({ workspaceId, payload }: Task): Promise<void> {
    const { metricId } = payload as Payload;
    await this.meters.prepare(await this.catalog.metricDefinition(workspaceId, metricId));
  }
}
