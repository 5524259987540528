import { describe, expect, it } from '@jest/globals';
import { parseJson } from '#libs/core';
import type { DomainEvent } from '#libs/event-store';
import type { CustomerEvent } from '#libs/customers';
import type { InvoiceEvent } from '#libs/invoicing';
import { recorded } from '#libs/testing';
import type { WebhookEvent } from '#libs/webhooks';
import { auditProjection } from './audit.projection.js';

const occurredAt = '2026-01-31T10:00:00.000Z';
const entriesOf = <E extends DomainEvent>(event: E) =>
  auditProjection.rows(
    recorded('stream-acc_1.1', event, {
      id: 'event-1',
      position: 42n,
      occurredAt,
      correlationId: 'request-1',
      actor: { type: 'user', id: 'usr_1' },
    }),
  );

const shown = (event: DomainEvent): unknown => parseJson(entriesOf(event)[0]!.data);

describe('an entry of the audit trail', () => {
  it('says who did what to what, when, and by which request', () => {
    expect(entriesOf<CustomerEvent>({ type: 'CustomerDeleted', data: { customerId: 'cust_1' } })).toEqual([
      {
        id: 'event-1',
        accountId: 'acc_1',
        position: '42',
        createdAt: occurredAt,
        action: 'customer.deleted',
        resourceType: 'customer',
        resourceId: 'cust_1',
        actorType: 'user',
        actorId: 'usr_1',
        requestId: 'request-1',
        data: '{}',
      },
    ]);
  });

  it('names the fields that were changed, and keeps their values to itself', () => {
    const event: CustomerEvent = {
      type: 'CustomerUpdated',
      data: { customerId: 'cust_1', name: 'Ada Lovelace', email: 'ada@example.com' },
    };
    expect(shown(event)).toEqual({ changed: ['name', 'email'] });
  });

  it('shows amounts as exact numbers', () => {
    const event: InvoiceEvent = {
      type: 'InvoicePaid',
      data: {
        invoiceId: 'inv_1',
        customerId: 'cust_1',
        currency: 'USD',
        total: '12345678901234567.10',
        at: occurredAt,
        attemptId: null,
      },
    };
    expect(entriesOf(event)[0]!.data).toBe(
      '{"customerId":"cust_1","currency":"USD","attemptId":null,"total":12345678901234567.10}',
    );
  });

  it('does not show where a webhook goes: the URL may have a token in it', () => {
    const event: WebhookEvent = {
      type: 'WebhookChanged',
      data: { webhookId: 'wh_1', url: 'https://hooks.example/?token=secret' },
    };
    expect(shown(event)).toEqual({ changed: ['url'] });
  });

  it('is not made of what means nothing to people', () => {
    expect(
      entriesOf({
        type: 'MetricReferenced',
        data: { metricId: 'met_1', priceId: 'price_1', priceRevision: 0 },
      }),
    ).toEqual([]);
    expect(entriesOf({ type: 'OfAnotherProgram', data: {} })).toEqual([]);
  });
});
