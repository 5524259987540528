import { describe, expect, it } from '@jest/globals';
import { decide, react, recordedEvent } from '#libs/kernel/testing';
import type { SubscriptionMoveOutcome, PriceMigrationEvent, WaitingSubscription } from './events.js';
import { priceMigrationDecider } from './price-migration.js';
import { PriceMigrationProcess } from './price-migration.process.js';

const migrationId = 'mig_1';
const at = '2026-11-01T00:00:00.000Z';
const effectiveAt = '2027-01-01T00:00:00.000Z';
const later = '2027-01-01T00:00:01.000Z';
const scheduledBy = { type: 'user', id: 'usr_1' } as const;
const details = {
  name: 'Prices of 2027',
  fromPlanId: 'plan_1',
  toPlanId: 'plan_2',
  effectiveAt,
  customerIds: null,
};
const schedule = { type: 'SchedulePriceMigration', migrationId, at, details, scheduledBy } as const;
const cancel = { type: 'CancelPriceMigration', migrationId, at } as const;
const start = { type: 'StartPriceMigration', migrationId, at: effectiveAt } as const;

const scheduled: PriceMigrationEvent = {
  type: 'PriceMigrationScheduled',
  data: { migrationId, at, ...details, scheduledBy },
};
const canceled: PriceMigrationEvent = { type: 'PriceMigrationCanceled', data: { migrationId, at } };
const started: PriceMigrationEvent = {
  type: 'PriceMigrationStarted',
  data: { migrationId, at: effectiveAt },
};
const outcome = (
  subscriptionId: string,
  status: SubscriptionMoveOutcome['status'],
): SubscriptionMoveOutcome => ({
  subscriptionId,
  customerId: 'cust_1',
  status,
  code: status === 'migrated' ? null : 'not_on_plan',
  message: status === 'migrated' ? null : 'It is not on the plan any more',
  invoiceId: null,
});
const batch = (
  after: string | null,
  through: string | null,
  outcomes: SubscriptionMoveOutcome[],
  isLast: boolean,
) => ({
  type: 'RecordBatch' as const,
  migrationId,
  at: later,
  after,
  through,
  total: 3,
  outcomes,
  isLast,
  waiting: [] as WaitingSubscription[],
});
const progressed = (
  through: string | null,
  outcomes: SubscriptionMoveOutcome[],
  more: { isLast?: true; waiting?: WaitingSubscription[] } = {},
): PriceMigrationEvent => ({
  type: 'PriceMigrationProgressed',
  data: { migrationId, at: later, through, total: 3, outcomes, ...more },
});

const { given } = decide(priceMigrationDecider);

describe('a price migration', () => {
  it('is scheduled for the future, and records who scheduled it', () => {
    given().when(schedule).then(scheduled);
    given(scheduled).when(schedule).then();
    given()
      .when({ ...schedule, at: effectiveAt })
      .refused('validation_failed', 'effectiveAt');
  });

  it('shows its status and when it changed', () => {
    const none = { startedAt: null, finishedAt: null, canceledAt: null };
    expect(given(scheduled).state()).toMatchObject({ ...none, status: 'scheduled', createdAt: at });
    expect(given(scheduled, canceled).state()).toMatchObject({ ...none, status: 'canceled', canceledAt: at });
    expect(given(scheduled, started).state()).toMatchObject({
      ...none,
      status: 'in_progress',
      startedAt: effectiveAt,
    });
  });

  it('for the end of the period can be canceled as long as it waits for one', () => {
    const forEnd = {
      ...scheduled,
      data: { ...scheduled.data, effectiveAt: 'period_end' },
    } as PriceMigrationEvent;
    given(forEnd, started).when(cancel).then(canceled);
    given(forEnd, started, canceled).when(cancel).refused('migration_not_scheduled');
    given(forEnd, started, canceled)
      .when(batch(null, 'sub_2', [outcome('sub_1', 'migrated'), outcome('sub_2', 'failed')], true))
      .then(progressed('sub_2', [outcome('sub_1', 'migrated')], { isLast: true }));
  });

  it('can be canceled before it takes effect, and then does not start', () => {
    given(scheduled).when(cancel).then(canceled);
    given(scheduled, canceled).when(start).then();
    given(scheduled, canceled).when(cancel).refused('migration_not_scheduled');
    given(scheduled, started).when(cancel).refused('migration_not_scheduled');
    given().when(cancel).refused('price_migration_not_found');
  });

  it('starts once, when its time has come', () => {
    given(scheduled).when(start).then(started);
    given(scheduled)
      .when({ ...start, at })
      .then();
    given(scheduled, started).when(start).then();
  });

  it('records batch after batch, each once, and ends with the last', () => {
    const first = [outcome('sub_1', 'migrated'), outcome('sub_2', 'skipped')];
    const last = [outcome('sub_3', 'migrated')];
    const finished: PriceMigrationEvent = {
      type: 'PriceMigrationFinished',
      data: { migrationId, at: later, migrated: 2, skipped: 1, failed: 0 },
    };
    given(scheduled, started)
      .when(batch(null, 'sub_2', first, false))
      .then(progressed('sub_2', first));
    const half = [scheduled, started, progressed('sub_2', first)];
    given(...half)
      .when(batch(null, 'sub_2', first, false))
      .then();
    given(...half)
      .when(batch('sub_2', 'sub_3', last, true))
      .then(progressed('sub_3', last, { isLast: true }), finished);
    expect(given(...half, progressed('sub_3', last, { isLast: true }), finished).state()).toMatchObject({
      status: 'completed',
      total: 3,
      migrated: 2,
      skipped: 1,
      failed: 0,
      finishedAt: later,
    });
  });

  it('shows that a move failed, and ends at once if there is nothing to move', () => {
    const failed = [outcome('sub_1', 'failed')];
    expect(
      given(scheduled, started)
        .when(batch(null, 'sub_1', failed, true))
        .state(),
    ).toMatchObject({ status: 'completed_with_errors', failed: 1 });
    expect(
      given(scheduled, started)
        .when(batch(null, null, [], true))
        .state(),
    ).toMatchObject({
      status: 'completed',
    });
  });
});

describe('a price migration at the end of each period', () => {
  const atPeriodEnd = { ...details, effectiveAt: 'period_end' };
  const planned: PriceMigrationEvent = {
    type: 'PriceMigrationScheduled',
    data: { migrationId, at, ...atPeriodEnd, scheduledBy },
  };
  const begun: PriceMigrationEvent = { type: 'PriceMigrationStarted', data: { migrationId, at } };
  const one = { subscriptionId: 'sub_2', customerId: 'cust_1', until: later };
  const other = { ...one, subscriptionId: 'sub_3' };
  const listed = progressed('sub_3', [outcome('sub_1', 'skipped')], { waiting: [one, other], isLast: true });
  const turns = (outcomes: SubscriptionMoveOutcome[], waiting: WaitingSubscription[] = []) =>
    ({ type: 'RecordTurns', migrationId, at: later, outcomes, waiting }) as const;
  const continued = (
    outcomes: SubscriptionMoveOutcome[],
    waiting: WaitingSubscription[] = [],
  ): PriceMigrationEvent => ({
    type: 'PriceMigrationContinued',
    data: { migrationId, at: later, outcomes, waiting },
  });

  it('starts at once, and runs until no subscription waits', () => {
    given()
      .when({ ...schedule, details: atPeriodEnd })
      .then(planned);
    given(planned)
      .when({ ...start, at })
      .then(begun);
    given(planned, begun)
      .when({ ...batch(null, 'sub_3', [outcome('sub_1', 'skipped')], true), waiting: [one, other] })
      .then(listed);
    const moved = [outcome('sub_2', 'migrated')];
    given(planned, begun, listed)
      .when(turns(moved, [other]))
      .then(continued(moved, [other]));
    given(planned, begun, listed, continued(moved, [other]))
      .when(turns([outcome('sub_3', 'migrated')]))
      .then(continued([outcome('sub_3', 'migrated')]), {
        type: 'PriceMigrationFinished',
        data: { migrationId, at: later, migrated: 2, skipped: 1, failed: 0 },
      });
  });

  it('lists the subscriptions that it covers once', () => {
    given(planned, begun, listed)
      .when(batch('sub_3', 'sub_3', [], true))
      .then();
  });

  it('can be canceled while it runs, and then records only who was moved before', () => {
    given(planned, begun, listed).when(cancel).then(canceled);
    const moved = [outcome('sub_2', 'migrated')];
    given(planned, begun, listed, canceled)
      .when(turns([...moved, outcome('sub_3', 'failed')], [other]))
      .then(continued(moved));
    given(planned, begun, listed, canceled)
      .when(turns([outcome('sub_2', 'skipped')], [other]))
      .then();
    given(planned, begun, listed, canceled, continued(moved))
      .when(turns([outcome('sub_3', 'migrated')]))
      .then(continued([outcome('sub_3', 'migrated')]));
    given(planned, canceled).when(turns(moved)).then();
  });
});

describe('the process of price migrations', () => {
  const process = new PriceMigrationProcess(
    ...([] as unknown as ConstructorParameters<typeof PriceMigrationProcess>),
  );
  const { when } = react(process);
  const event = (one: PriceMigrationEvent) => recordedEvent(`priceMigration-acc_1.${migrationId}`, one);

  it('sets a timer to start each migration at its time, or starts it at once for the end of periods', () => {
    when(event(scheduled)).then({ name: 'start-migration', payload: { migrationId }, dueAt: effectiveAt });
    when(event(started)).then();
    const atPeriodEnd = { ...scheduled, data: { ...scheduled.data, effectiveAt: 'period_end' } };
    when(event(atPeriodEnd)).then({ name: 'start-migration', payload: { migrationId } });
  });

  it('begins the next batch from the record of each batch, which survives a crash', () => {
    const payload = { migrationId, after: 'sub_2' };
    when(event(progressed('sub_2', []))).then({ name: 'migrate-batch', key: 'migrate after sub_2', payload });
    when(event(progressed('sub_2', [], { isLast: true }))).then();
  });

  it('handles waiting subscriptions when their periods end', () => {
    const waiting = (id: string, until: string) => ({ subscriptionId: id, customerId: 'cust_1', until });
    const all = [waiting('sub_1', effectiveAt), waiting('sub_2', later), waiting('sub_3', effectiveAt)];
    const turn = (until: string, ...ids: string[]) => ({
      name: 'take-turns',
      key: `turns at ${until}`,
      payload: {
        migrationId,
        subscribers: ids.map((subscriptionId) => ({ subscriptionId, customerId: 'cust_1' })),
        until,
      },
      dueAt: until,
    });
    const turns = [turn(effectiveAt, 'sub_1', 'sub_3'), turn(later, 'sub_2')];
    when(event(progressed('sub_3', [], { isLast: true, waiting: all }))).then(...turns);
    const data = { migrationId, at, outcomes: [], waiting: all };
    when(event({ type: 'PriceMigrationContinued', data })).then(...turns);
  });

  it('removes the reference that billing reads once it is over', () => {
    const dropped = { name: 'drop-reference', payload: { migrationId } };
    when(event(canceled)).then(dropped);
  });
});
