import { CommandBus } from '@nestjs/cqrs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { Pool } from 'pg';
import { sumOf } from '#libs/kernel/core';
import { newId, newUlid } from '#libs/kernel/system';
import { systemContext, trackWrites, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { CreateInvoice, invoiceDecider, type InvoiceEvent, type NewInvoice } from '#libs/contexts/invoicing';
import { ReadModelProgress } from '#libs/kernel/projection';
import { TaskStore } from '#libs/kernel/saga';
import type { InvoiceLine } from '#libs/rating';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { System, TestWorkspace } from './system.js';

const READABLE_MILLIS = 10_000;

/** The context of a command that a test runs past the API, as a process of ours would. */
export async function commandContextOf(
  system: System,
  workspaceId: string,
  commandId = newUlid(),
): Promise<CommandContext> {
  const now = await system.api.get(WorkspaceClock, { strict: false }).now(workspaceId);
  return systemContext({ workspaceId, now, process: 'test', commandId });
}

/** Moves the workspace's clock without waiting for what becomes due: that is late then. */
export async function jumpClock(system: System, { workspaceId }: TestWorkspace, to: string): Promise<void> {
  await system.api.get(WorkspaceClock, { strict: false }).moveForwardTo(workspaceId, to);
  await new TaskStore(system.api.get(Pool, { strict: false })).notifyWorkers();
}

/** A customer with a test card on file, unless `test` is null. */
export async function customerWithCard(
  { http }: TestWorkspace,
  test: string | null = 'pm_card_visa',
  more: { name?: string; declines?: number } = {},
): Promise<string> {
  const { name = 'Northwind Ltd', declines } = more;
  const { body } = await http
    .post('/v1/customers', { name, email: 'ops@northwind.example', billingEmail: 'ap@northwind.example' })
    .expect(201);
  const method = { type: 'test', test, ...(declines === undefined ? {} : { declines }) };
  if (test !== null) await http.post(`/v1/customers/${body.id}/payment-methods`, method).expect(201);
  return body.id as string;
}

/** A line of 20.00 for a month, with these changes. */
export function lineOf(change: Partial<InvoiceLine> = {}): InvoiceLine {
  return {
    id: newId('line'),
    type: 'flat',
    description: 'Platform fee',
    priceId: 'price_1',
    priceVersion: 1,
    quantity: '1',
    unitPrice: '20',
    amount: '20.00',
    periodStart: '2026-01-01T00:00:00.000Z',
    periodEnd: '2026-02-01T00:00:00.000Z',
    ...change,
  };
}

/** Creates an invoice as billing does, and waits until it can be read; returns its id. */
export async function createInvoice(
  system: System,
  { workspaceId }: TestWorkspace,
  customerId: string,
  change: Partial<NewInvoice> = {},
): Promise<string> {
  const lines = change.lines ?? [lineOf()];
  const invoice: NewInvoice = {
    invoiceId: newId('inv'),
    customerId,
    subscriptionId: null,
    kind: 'cycle',
    currency: 'USD',
    lines,
    total: sumOf(lines.map(({ amount }) => amount)).toFixed(2),
    periodStart: '2026-01-01T00:00:00.000Z',
    periodEnd: '2026-02-01T00:00:00.000Z',
    billedAt: '2026-02-01T00:00:00.000Z',
    ...change,
  };
  const context = await commandContextOf(system, workspaceId);
  await trackWrites(async (tracker) => {
    await system.api.get(CommandBus, { strict: false }).execute(new CreateInvoice(context, invoice));
    await system.api.get(ReadModelProgress, { strict: false }).waitFor(tracker.position!, READABLE_MILLIS);
  });
  return invoice.invoiceId;
}

/** The types of the invoice's events, in order, read from the store. */
export async function eventsOf(system: System, workspaceId: string, invoiceId: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of storeOf(system).readStream(streamOf(workspaceId, invoiceId)))
    if (event) types.push(event.type);
  return types;
}

/** Waits until an event of one of these types is on the invoice's stream. */
export async function untilEvent(
  system: System,
  workspaceId: string,
  invoiceId: string,
  ...types: InvoiceEvent['type'][]
): Promise<void> {
  const subscription = storeOf(system).subscribeToStream(streamOf(workspaceId, invoiceId));
  for await (const { event } of subscription) if (event && types.some((type) => type === event.type)) break;
  await subscription.unsubscribe();
}

function streamOf(workspaceId: string, invoiceId: string): string {
  return `${invoiceDecider.category}-${aggregateId(workspaceId, invoiceId)}`;
}

function storeOf(system: System): EventStoreDBClient {
  return system.api.get(EventStoreDBClient, { strict: false });
}
