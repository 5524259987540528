import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApiApp } from '#apps/api';
import { clientOf, createPlan, fee, startSystem, type Client, type System } from '../support/index.js';

const WRITERS = 30;

let system: System;
let otherApi: NestFastifyApplication;
let processes: [Client, Client];

beforeAll(async () => {
  system = await startSystem();
  otherApi = await createApiApp(system.settings);
  await otherApi.listen(0, '127.0.0.1');
  const workspace = await system.workspace();
  const otherUrl = (await otherApi.getUrl()).replace('[::1]', '127.0.0.1');
  processes = [workspace.http, clientOf(otherUrl, { 'x-api-key': workspace.apiKey })];
});
afterAll(async () => {
  await otherApi?.close();
  await system?.stop();
});

/** How often each status is the answer to requests that are sent at once, each to the next of the processes. */
async function statuses(
  clients: readonly Client[],
  send: (client: Client, index: number) => PromiseLike<{ status: number }>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, (_, index) => send(clients[index % clients.length]!, index)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// Half of them were told `concurrent_modification`.
it.each([1, 2])('serves 30 changes of one customer at once, sent to %i API processes', async (count) => {
  const [http] = processes;
  const { id } = (await http.post('/v1/customers', { name: 'Ada' }).expect(201)).body as { id: string };
  const answered = await statuses(processes.slice(0, count), (client, index) =>
    client.patch(`/v1/customers/${id}`, { name: `Ada ${index}` }),
  );
  expect(answered).toEqual({ 200: WRITERS });
});

it.each([1, 2])('serves 30 new prices of one plan at once, sent to %i API processes', async (count) => {
  const [http] = processes;
  const planId = await createPlan({ http }, fee('Base', 10));
  const prices = await Promise.all(
    Array.from({ length: WRITERS }, async (_, index) => {
      const { body } = await http.post('/v1/prices', fee(`Fee ${index}`, index + 1)).expect(201);
      return (body as { id: string }).id;
    }),
  );
  const answered = await statuses(processes.slice(0, count), (client, index) =>
    client.patch(`/v1/plans/${planId}`, { prices: [prices[index]] }),
  );
  expect(answered).toEqual({ 200: WRITERS });
});
