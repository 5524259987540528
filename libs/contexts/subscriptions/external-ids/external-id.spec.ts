import { it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { externalIdDecider, type ExternalIdClaim, type ExternalIdEvent } from './external-id.js';

const { given } = decide(externalIdDecider);
const claimOf = (subscriptionId: string, claimId = 'request_1'): ExternalIdClaim => ({
  subscriptionId,
  claimId,
});
const take = (claim: ExternalIdClaim, ...instead: string[]) =>
  ({ type: 'TakeExternalId', claim, instead }) as const;
const release = (claim: ExternalIdClaim) => ({ type: 'ReleaseExternalId', claim }) as const;
const taken = (claim: ExternalIdClaim): ExternalIdEvent => ({
  type: 'SubscriptionExternalIdTaken',
  data: claim,
});
const released = (claim: ExternalIdClaim): ExternalIdEvent => ({
  type: 'SubscriptionExternalIdReleased',
  data: claim,
});
const [one, two] = [claimOf('sub_1'), claimOf('sub_2')];

it('belongs to one subscription until that gives it up', () => {
  given().when(take(one)).then(taken(one));
  given(taken(one)).when(take(one)).then();
  given(taken(one)).when(take(two)).refused('external_id_in_use', 'externalId');
  given(taken(one), released(one)).when(take(two)).then(taken(two));
});

it('goes over to another subscription of the same request', () => {
  given(taken(one))
    .when(take(two, 'sub_0', 'sub_1'))
    .then(taken(two));
});

it('is given up only by the request that took it last', () => {
  const again = claimOf('sub_1', 'request_2');
  given(taken(one)).when(release(one)).then(released(one));
  given(taken(one)).when(release(two)).then();
  given().when(release(one)).then();
  given(taken(one)).when(take(again)).then(taken(again));
  given(taken(one), taken(again)).when(release(one)).then();
  given(taken(one), taken(again)).when(release(again)).then(released(again));
});
