import { it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { externalIdDecider, type ExternalIdEvent } from './external-id.js';

const { given } = decide(externalIdDecider);
const take = (subscriptionId: string, ...instead: string[]) =>
  ({ type: 'TakeExternalId', subscriptionId, instead }) as const;
const release = (subscriptionId: string) => ({ type: 'ReleaseExternalId', subscriptionId }) as const;
const taken = (subscriptionId: string): ExternalIdEvent => ({
  type: 'SubscriptionExternalIdTaken',
  data: { subscriptionId },
});
const released = (subscriptionId: string): ExternalIdEvent => ({
  type: 'SubscriptionExternalIdReleased',
  data: { subscriptionId },
});

it('belongs to one subscription until that gives it up', () => {
  given().when(take('sub_1')).then(taken('sub_1'));
  given(taken('sub_1')).when(take('sub_1')).then();
  given(taken('sub_1')).when(take('sub_2')).refused('external_id_in_use', 'externalId');
  given(taken('sub_1'), released('sub_1')).when(take('sub_2')).then(taken('sub_2'));
});

it('goes over to another subscription of the same request', () => {
  given(taken('sub_1'))
    .when(take('sub_2', 'sub_0', 'sub_1'))
    .then(taken('sub_2'));
});

it('is given up only by the subscription that has it', () => {
  given(taken('sub_1')).when(release('sub_1')).then(released('sub_1'));
  given(taken('sub_1')).when(release('sub_2')).then();
  given().when(release('sub_1')).then();
});
