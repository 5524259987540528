import { Injectable } from '@nestjs/common';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { ClaimedExternalId, SubscriptionEvent } from '../events.js';
import { ExternalIds } from './external-ids.js';

interface Tasks {
  'release-former': { subscriptionId: string; former: ClaimedExternalId };
}

/**
 * Releases the former external id of a subscription that has another one now. The process that changes the external id also releases the
 * former one. This task does so if that process crashes first.
 */
@Injectable()
export class ExternalIdsProcess extends ProcessManager<Tasks> {
  readonly name = 'external-ids';

  constructor(
    clock: WorkspaceClock,
    private readonly externalIds: ExternalIds,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<SubscriptionEvent, Tasks>({
    SubscriptionDetailsChanged: ({ data: { subscriptionId, formerExternalId: former } }) =>
      former === undefined ? [] : [{ name: 'release-former', payload: { subscriptionId, former } }],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'release-former': ({ subscriptionId, former }, context) =>
      this.externalIds.release(context, subscriptionId, former),
  };
}
