import { EventStoreDBClient } from '@eventstore/db-client';
import type { System, TestWorkspace } from './system.js';

/** Waits for the record of the last step of a customer's erasure. */
export async function untilErased(
  { api }: Pick<System, 'api'>,
  { workspaceId }: Pick<TestWorkspace, 'workspaceId'>,
  customerId: string,
): Promise<void> {
  const stream = `customerErasure-${workspaceId}.${customerId}`;
  const steps = api.get(EventStoreDBClient, { strict: false }).subscribeToStream(stream);
  for await (const { event } of steps) if ((event?.data as { step?: string }).step === 'copies') break;
  await steps.unsubscribe();
}
