import { it } from '@jest/globals';
import { react, recordedEvent } from '#libs/kernel/testing';
import type { ClaimedExternalId, SubscriptionEvent } from '../events.js';
import { ExternalIdsProcess } from './external-ids.process.js';

const process = new ExternalIdsProcess(
  ...([] as unknown as ConstructorParameters<typeof ExternalIdsProcess>),
);
const changed = (details: { formerExternalId?: ClaimedExternalId; externalId?: string }) =>
  recordedEvent<SubscriptionEvent>('subscription-acc_1.sub_1', {
    type: 'SubscriptionDetailsChanged',
    data: { subscriptionId: 'sub_1', customerId: 'cust_1', at: '2026-01-01T00:00:00.000Z', ...details },
  });
const { when } = react(process);

it('releases the external id that a subscription gave up, if it had one', () => {
  const former = { hash: 'ext_1', claimId: 'request_1' };
  when(changed({ externalId: 'order-2', formerExternalId: former })).then({
    name: 'release-former',
    payload: { subscriptionId: 'sub_1', former },
  });
  when(changed({ externalId: 'order-1' })).then();
  when(changed({})).then();
});
