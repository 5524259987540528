import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { eventQuarantineDecider, type QuarantineCommand } from './event-quarantine.js';

const at = '2026-11-02T10:00:00.000Z';
const event = (position: string, revision: string) => ({
  position,
  stream: 'subscription-acc_1.sub_1',
  revision,
  eventType: 'SubscriptionTeleported',
  eventId: `id-${position}`,
  digest: 'd',
});
const quarantined = (position = '41', revision = '5') =>
  ({ type: 'EventQuarantined', data: { ...event(position, revision), at, reason: 'Broken' } }) as const;
const quarantine = (more: object = {}, position = '41', revision = '5') =>
  ({
    type: 'QuarantineEvent',
    at,
    event: event(position, revision),
    firstUnreadableRevision: '5',
    followers: [],
    reason: 'Broken',
    ...more,
  }) as QuarantineCommand;
const copy = {
  id: 'id-41',
  type: 'SubscriptionTeleported',
  data: {},
  metadata: {},
  created: at,
  stream: 'subscription-acc_1.sub_1',
  revision: '5',
};
const release = (more: object = {}) =>
  ({
    type: 'ReleaseEvent',
    at,
    position: '41',
    event: copy,
    canBeRead: true,
    reason: 'Mended',
    ...more,
  }) as QuarantineCommand;
const discard = (position = '41') => ({ type: 'DiscardEvent', at, position, reason: 'Never meant' }) as const;
const discarded = { type: 'EventDiscarded', data: { position: '41', at, reason: 'Never meant' } } as const;
const log = (...events: Parameters<typeof eventQuarantineDecider.evolve>[1][]) =>
  decide(eventQuarantineDecider).given(...events);

describe('the quarantine of an event', () => {
  it('sets an unreadable event aside, once', () => {
    log().when(quarantine()).then(quarantined());
    log(quarantined()).when(quarantine()).then();
  });

  it('needs a reason', () => {
    log()
      .when(quarantine({ reason: ' ' }))
      .refused('validation_failed');
    log()
      .when(quarantine({ reason: 'x'.repeat(501) }))
      .refused('validation_failed');
  });

  it('is refused for an event that can be read, unless it follows one that cannot', () => {
    log()
      .when(quarantine({ firstUnreadableRevision: null }))
      .refused('event_readable');
    log()
      .when(quarantine({ firstUnreadableRevision: '6' }))
      .refused('event_readable');
    log()
      .when(quarantine({ firstUnreadableRevision: '4' }))
      .then(quarantined());
  });

  it('is refused for an event that later events of its stream need, until these are quarantined', () => {
    const followers = [{ position: '44', revision: '6' }];
    log().when(quarantine({ followers })).refused('event_needed');
    log(quarantined('44', '6')).when(quarantine({ followers })).then(quarantined());
    log(quarantined('44', '6'), { type: 'EventDiscarded', data: { ...discarded.data, position: '44' } })
      .when(quarantine({ followers }))
      .refused('event_needed');
  });

  it('is refused for its own stream and for streams of the event store', () => {
    for (const stream of ['eventQuarantine-log', '$$subscription-acc_1.sub_1'])
      log()
        .when(quarantine({ event: { ...event('41', '5'), stream } }))
        .refused('event_not_ours');
  });
});

describe('the release of a quarantined event', () => {
  it('brings the event back, once', () => {
    const released = { type: 'EventReleased', data: { position: '41', at, reason: 'Mended' } } as const;
    const readmitted = { type: 'EventReadmitted', data: { position: '41', at, event: copy } } as const;
    log(quarantined()).when(release()).then(released, readmitted);
    log(quarantined(), released, readmitted).when(release()).refused('quarantine_ended');
    log(quarantined(), released, readmitted).when(quarantine()).refused('quarantine_ended');
  });

  it('is refused while this program cannot read the event, and for an event that is not quarantined', () => {
    log(quarantined())
      .when(release({ canBeRead: false }))
      .refused('event_unreadable');
    log().when(release()).refused('event_not_quarantined');
  });

  it('is refused while an earlier event of the stream is quarantined', () => {
    log(quarantined('44', '6'), quarantined())
      .when(release({ position: '44' }))
      .refused('event_needed');
  });
});

describe('the discarding of a quarantined event', () => {
  it('is final', () => {
    log(quarantined()).when(discard()).then(discarded);
    log(quarantined(), discarded).when(discard()).refused('quarantine_ended');
    log(quarantined(), discarded).when(release()).refused('quarantine_ended');
  });

  it('is refused while a later event of the stream is quarantined', () => {
    log(quarantined('44', '6'), quarantined()).when(discard()).refused('event_needed');
    log(quarantined('44', '6'), quarantined())
      .when(discard('44'))
      .then({ type: 'EventDiscarded', data: { ...discarded.data, position: '44' } });
  });
});
