import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startApp, type AppProcess } from '../../../test/support/app-process.js';
import { startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import { advanceClock, createPlan, fee, subscribe } from '../../../test/support/plans.js';
import { verifyReadModels } from '../projections/verify.js';
import { discardEvent, listQuarantinedNow, quarantineEvent } from './quarantine.js';

let system: System;
let workspace: TestWorkspace;
let client: EventStoreDBClient;
const programs: AppProcess[] = [];
const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
const env = () => ({
  DATABASE_URL: system.database.url,
  EVENTSTORE_URL: system.node.url,
  DATABASE_POOL_SIZE: '4',
});

beforeAll(async () => {
  system = await startSystem();
  client = EventStoreDBClient.connectionString(system.node.url);
  workspace = await system.workspace();
  await workspace.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await client?.dispose();
  await system?.stop();
});

const invoicesOf = async (customerId: string): Promise<number> => {
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
  return (body as { data: unknown[] }).data.length;
};

/** Appends an event to the stream of a customer, as a later version of the product would. Returns its position. */
async function plant(customerId: string, type: string): Promise<string> {
  const metadata = {
    workspaceId: workspace.workspaceId,
    schemaVersion: 1,
    occurredAt: '2026-01-01T00:00:00.000Z',
  };
  const stream = `customer-${workspace.workspaceId}.${customerId}`;
  const { position } = await client.appendToStream(stream, jsonEvent({ type, data: {}, metadata }));
  return String(position!.commit);
}

async function verified() {
  const models = await verifyReadModels([], { max: 5, all: true }, env(), quiet);
  return { ledger: (await verificationOf(system)).found, models: models.differences };
}

describe('an event that cannot be read', () => {
  let poison: string;

  it('stops the projector and the saga, with its position', async () => {
    const plan = await createPlan(workspace, fee('Base', 10));
    await subscribe(workspace, plan, { id: 'bob' });
    await workspace.http.post('/v1/customers', { id: 'ada', name: 'Ada' }).expect(201);
    poison = await plant('ada', 'CustomerTeleported');
    while (system.failures.length < 2) await workspace.http.get('/v1/health').expect(200);
    for (const failure of system.failures.splice(0))
      expect(String(failure)).toContain(`at position ${poison} cannot be read`);
  });

  it('cannot be quarantined without a reason, and an event that can be read cannot be', async () => {
    await expect(quarantineEvent(poison, ' ', env())).rejects.toThrow('reason');
    const readable = String(BigInt(poison) - 1n);
    await expect(quarantineEvent(readable, 'Test', env())).rejects.toThrow('can be read');
    await expect(quarantineEvent('999999999', 'Test', env())).rejects.toThrow(
      'There is no event at position',
    );
  });

  it('cannot be quarantined before an event that follows in its stream', async () => {
    const later = await plant('ada', 'CustomerReturned');
    await expect(quarantineEvent(poison, 'Test', env())).rejects.toThrow(`${later}, ${poison}`);
    await quarantineEvent(later, 'Needs the one before', env());
  });

  it('is skipped once it is quarantined, so that billing goes on for everybody else', async () => {
    await quarantineEvent(poison, 'Written by a later version', env());
    programs.push(await startApp('projector', system), await startApp('saga', system));
    const before = await invoicesOf('bob');
    await advanceClock(workspace, '2026-02-02T00:00:00Z');
    expect(await invoicesOf('bob')).toBe(before + 1);
  });

  it('closes its own stream, and leaves the streams of others open', async () => {
    await workspace.http.patch('/v1/customers/bob', { name: 'Bob' }).expect(200);
    const refused = await workspace.http.patch('/v1/customers/ada', { name: 'Ada' }).expect(503);
    expect(refused.body).toMatchObject({ code: 'unreadable_event' });
  });

  it('is told by every verification and by the audit trail', async () => {
    expect((await listQuarantinedNow(env())).map(({ position }) => position)).toContain(poison);
    const { ledger, models } = await verified();
    expect(ledger.filter((line) => line.includes('is quarantined since'))).toHaveLength(2);
    expect(models).toBe(0);
    const { body } = await workspace.session.get('/v1/audit?action=event.quarantined').expect(200);
    expect((body as { data: unknown[] }).data).toContainEqual(
      expect.objectContaining({
        resourceId: poison,
        data: expect.objectContaining({
          eventType: 'CustomerTeleported',
          reason: 'Written by a later version',
        }),
      }),
    );
  });

  it('is gone for good when it is discarded, from the newest on', async () => {
    await expect(discardEvent(poison, 'Rolled back', env())).rejects.toThrow('Discard that event first');
    for (const { position } of (await listQuarantinedNow(env())).reverse())
      await discardEvent(position, 'Rolled back', env());
    await workspace.http.patch('/v1/customers/ada', { name: 'Ada' }).expect(200);
    expect((await workspace.http.get('/v1/customers/ada').expect(200)).body).toMatchObject({ name: 'Ada' });
    expect(await verified()).toEqual({ ledger: [], models: 0 });
  });
});
