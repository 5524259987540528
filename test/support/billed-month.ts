import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  subscribe,
  use,
} from './plans.js';
import type { TestWorkspace } from './system.js';

/** Bills the customers `north` and `south` for January, who pay by card. In February `north` has used 7 units. */
export async function billAMonth(workspace: TestWorkspace): Promise<void> {
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const units = await createMetric(workspace, 'units', { type: 'sum', property: 'n' }, 'call');
  const planId = await createPlan(
    workspace,
    perUnit('API units', units, 0.5),
    fee('Platform', 20, { timing: 'in_advance', cadence: 'monthly' }),
  );
  for (const id of ['north', 'south']) {
    await subscribe(workspace, planId, { id, name: id });
    await workspace.http
      .post(`/v1/customers/${id}/payment-methods`, { type: 'test', test: 'pm_card_visa' })
      .expect(201);
  }
  await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
  await use(workspace, 'north', 'call', '2026-02-01T00:00:00.000Z', { n: 7 });
}
