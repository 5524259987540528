import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { PlanMigrationsEvent } from './events.js';
import { planMigrationsDecider } from './plan-migrations.js';

const planId = 'plan_1';
const reference = { migrationId: 'mig_1', effectiveAt: 'period_end' };
const leave = { type: 'ReferencePriceMigration', planId, reference } as const;
const drop = { type: 'DropPriceMigration', planId, migrationId: 'mig_1' } as const;
const left: PlanMigrationsEvent = { type: 'PriceMigrationReferenced', data: { planId, ...reference } };
const dropped: PlanMigrationsEvent = {
  type: 'PriceMigrationReferenceDropped',
  data: { planId, migrationId: 'mig_1' },
};

const { given } = decide(planMigrationsDecider);

describe('the price migrations of a plan', () => {
  it('have a reference from before they are scheduled until they are over', () => {
    given().when(leave).then(left);
    given(left).when(leave).then();
    given(left).when(drop).then(dropped);
    given(left, dropped).when(drop).then();
    given().when(drop).then();
  });

  it('have one reference each', () => {
    const second = { migrationId: 'mig_2', effectiveAt: '2026-05-01T00:00:00.000Z' };
    const other: PlanMigrationsEvent = { type: 'PriceMigrationReferenced', data: { planId, ...second } };
    given(left)
      .when({ ...leave, reference: second })
      .then(other);
    expect(given(left, other).state()).toEqual({ references: [reference, second] });
    expect(given(left, other, dropped).state()).toEqual({ references: [second] });
  });
});
