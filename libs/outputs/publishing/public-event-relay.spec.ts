import { expect, it } from '@jest/globals';
import type { JetStreamClient } from '@nats-io/jetstream';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { createLogger } from '#libs/kernel/system';
import { recordedEvent } from '#libs/kernel/testing';
import { PublicEventRelay } from './public-event-relay.js';

const MEGABYTE = 1_000_000;

it('sends at most 4 MB of events before they are stored, and sends all in order', async () => {
  const sent: string[] = [];
  let waiting = 0;
  let mostWaiting = 0;
  const js = {
    jetstreamManager: async () => ({ streams: { names: () => ['EVENTS'] } }),
    publish: async (_subject: string, _body: string, { msgID }: { msgID: string }) => {
      sent.push(msgID);
      mostWaiting = Math.max(mostWaiting, ++waiting);
      await new Promise(setImmediate);
      waiting--;
    },
  } as unknown as JetStreamClient;
  const nats = { requireJetStream: () => js, maxPayload: 8 * MEGABYTE };
  const data = { makeData: async () => JSON.stringify('x'.repeat(MEGABYTE)) };
  const relay = new PublicEventRelay(nats, data, createLogger('test', 'silent'));
  const ids = Array.from({ length: 10 }, (_, n) => `7e0e2a4c-7a0f-8d5e-9c1b-00000000000${n}`);
  const at = '2026-02-01T00:00:00.000Z';
  const paid: InvoiceEvent = {
    type: 'InvoicePaid',
    data: { invoiceId: 'inv_1', customerId: 'c', currency: 'USD', total: '1', at, attemptId: 'p' },
  };
  const events = ids.map((id) => recordedEvent('invoice-acc_1.inv_1', paid, { id, occurredAt: at }));
  expect(await relay.send(events)).toBe(10);
  expect(sent).toEqual(ids);
  expect(mostWaiting).toBe(3);
});
