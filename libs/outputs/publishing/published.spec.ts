import { describe, expect, it } from '@jest/globals';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { recordedEvent } from '#libs/kernel/testing';
import type { WebhookEvent } from '#libs/outputs/webhooks';
import { toPublishedMessage } from './published.js';

const id = '7e0e2a4c-7a0f-8d5e-9c1b-3f2a1b0c9d8e';
const at = '2026-02-01T00:00:00.000Z';

/** Returns the data of the event alone, without the resource that the API shows. */
const said = { makeData: async (_: string, { data }: { data: string }) => data };

describe('what is published', () => {
  it('is a public event, under its own id, with the same content as its webhooks', async () => {
    const paid: InvoiceEvent = {
      type: 'InvoicePaid',
      data: {
        invoiceId: 'inv_1',
        customerId: 'cust_1',
        currency: 'USD',
        total: '120.50',
        at,
        attemptId: 'p',
      },
    };
    expect(
      await toPublishedMessage(recordedEvent('invoice-acc_1.inv_1', paid, { id, occurredAt: at }), said),
    ).toEqual({
      subject: 'countinghouse.acc_1.invoice.paid',
      id,
      body:
        `{"id":"${id}","event":"invoice.paid","timestamp":"${at}","data":{"id":"inv_1","customerId":"cust_1",` +
        `"total":120.50,"currency":"USD","status":"paid","paidAt":"${at}"}}`,
    });
  });

  it('is neither an internal event nor the test of a webhook', async () => {
    const test: WebhookEvent = {
      type: 'WebhookTestRequested',
      data: { webhookId: 'wh_1', deliveryId: 'evt_1' },
    };
    const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { webhookId: 'wh_1' } };
    expect(await toPublishedMessage(recordedEvent('webhook-acc_1.wh_1', test), said)).toBeUndefined();
    expect(await toPublishedMessage(recordedEvent('webhook-acc_1.wh_1', deleted), said)).toBeUndefined();
  });
});
