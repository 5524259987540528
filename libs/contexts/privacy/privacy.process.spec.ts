import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { ModuleRef } from '@nestjs/core';
import type { Pool } from 'pg';
import type { WalletReader } from '#libs/contexts/credits';
import type { Customers } from '#libs/contexts/customers';
import type { ClosedPortals } from '#libs/contexts/identity';
import { Conflict, InvalidRequest, Unavailable } from '#libs/kernel/core';
import type { AggregateStore, PersonalDataVault, StreamReader } from '#libs/kernel/event-store';
import type { Task } from '#libs/kernel/saga';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import type { CustomerRecordFinder } from './customer-record-finder.js';
import { StoredTasksEraser } from './erasers/stored-tasks.js';
import type { ErasureStep } from './events.js';
import type { OpenRecordEnder } from './open-record-ender.js';
import { PrivacyProcess } from './privacy.process.js';

const at = '2026-01-01T00:00:00.000Z';
/** The position of the newest event of the erasure. */
const REQUESTED = 7n;
const task = (name: ErasureStep): Task => ({
  id: 'task_1',
  name,
  workspaceId: 'acc_1',
  payload: { customerId: 'ada' },
  attempt: 1,
  dueAt: at,
  clock: 'system',
  eventId: 'event_1',
  eventAt: at,
  correlationId: 'request_1',
});

/** A process whose read models have reached `readModels`, and whose open records are ended by `end`. */
function erasing({
  end = async () => true,
  deleteCustomer = async () => undefined,
  readModels = REQUESTED,
}: Partial<Fakes> = {}) {
  const done: string[] = [];
  const fake = <T>(methods: object) => methods as unknown as T;
  const process = new PrivacyProcess(
    fake<WorkspaceClock>({ now: async () => at }),
    fake<CommandBus>({ execute: deleteCustomer }),
    fake<AggregateStore>({
      execute: async (_decider: unknown, _id: string, _context: unknown, { step }: { step: string }) =>
        done.push(step),
    }),
    fake<StreamReader>({ read: async () => [{ position: REQUESTED }] }),
    fake<PersonalDataVault>({}),
    fake<Customers>({ find: async () => ({ deleted: false }) }),
    fake<WalletReader>({}),
    fake<CustomerRecordFinder>({ positionReachedByAllReadModels: async () => readModels }),
    fake<OpenRecordEnder>({ endOpenRecords: end }),
    fake<ClosedPortals>({ close: async () => undefined }),
    fake<ModuleRef>({}),
  );
  return { perform: (step: ErasureStep) => process.perform(task(step)), done };
}

interface Fakes {
  end: () => Promise<boolean>;
  deleteCustomer: () => Promise<void>;
  readModels: bigint | null;
}

// Only a task that fails with an Unavailable error is never given up.
describe('a step of an erasure that has to wait', () => {
  it('is not given up while a command of the step is refused', async () => {
    const refusal = new InvalidRequest('payment_in_progress', 'A payment of the invoice is in progress');
    const { perform, done } = erasing({ end: () => Promise.reject(refusal) });
    const error = await perform('settlement').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ code: refusal.code, message: refusal.message });
    expect(done).toEqual([]);
  });

  it('is not given up while something is being settled, or read models are behind', async () => {
    const settling = erasing({ end: async () => false });
    await expect(settling.perform('settlement')).rejects.toBeInstanceOf(Unavailable);
    for (const readModels of [null, REQUESTED - 1n])
      for (const step of ['settlement', 'read_models', 'copies'] as const) {
        const { perform, done } = erasing({ readModels });
        await expect(perform(step)).rejects.toBeInstanceOf(Unavailable);
        expect(done).toEqual([]);
      }
  });

  it('is not given up while messages about the customer are to be written', async () => {
    const person = { workspaceId: 'acc_1', customerId: 'ada', ids: new Set(['ada']), position: REQUESTED };
    const pool = { query: async () => ({ rows: [{ last: '-1' }], rowCount: 1 }) } as unknown as Pool;
    await expect(new StoredTasksEraser(pool).erase(person)).rejects.toBeInstanceOf(Unavailable);
  });

  it('ends what was created after the settlement, before it deletes the customer', async () => {
    const live = new Set(['sub_1']);
    const { perform, done } = erasing({
      end: async () => !live.delete('sub_1'),
      deleteCustomer: async () => {
        if (live.size > 0) throw new Conflict('customer_has_subscriptions', 'Cancel them first');
      },
    });
    await expect(perform('closing')).rejects.toBeInstanceOf(Unavailable);
    await perform('closing');
    expect(done).toEqual(['closing']);
  });

  it('fails as it is because of a defect', async () => {
    const defect = new TypeError('x is not a function');
    await expect(erasing({ end: () => Promise.reject(defect) }).perform('settlement')).rejects.toBe(defect);
  });

  it('is recorded when there is nothing left to wait for', async () => {
    const { perform, done } = erasing();
    await perform('settlement');
    expect(done).toEqual(['settlement']);
  });
});
