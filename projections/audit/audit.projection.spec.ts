import { describe, expect, it } from '@jest/globals';
import { parseJson } from '#libs/kernel/core';
import type { DomainEvent } from '#libs/kernel/domain';
import type { CustomerEvent } from '#libs/contexts/customers';
import { BILLING_DEFAULTS, type BillingSettingsEvent, type InvoiceEvent } from '#libs/contexts/invoicing';
import { recordedEvent } from '#libs/kernel/testing';
import type { WebhookEvent } from '#libs/outputs/webhooks';
import { CHAIN_START, nextLink } from '#libs/contexts/audit';
import { chainedRows } from './audit.projection.js';
import { auditEntryOf } from './audit-entry.js';

const occurredAt = '2026-01-31T10:00:00.000Z';
const entryOf = <E extends DomainEvent>(event: E) =>
  auditEntryOf(
    recordedEvent('stream-acc_1.1', event, {
      id: 'event-1',
      position: 42n,
      occurredAt,
      correlationId: 'request-1',
      actor: { type: 'user', id: 'usr_1' },
    }),
  );

const shown = (event: DomainEvent): unknown => parseJson(entryOf(event)!.data);

describe('an entry of the audit trail', () => {
  it('says who did what to what, when, and by which request', () => {
    expect(entryOf<CustomerEvent>({ type: 'CustomerDeleted', data: { customerId: 'cust_1' } })).toEqual({
      id: 'event-1',
      workspaceId: 'acc_1',
      position: '42',
      createdAt: occurredAt,
      action: 'customer.deleted',
      resourceType: 'customer',
      resourceId: 'cust_1',
      actorType: 'user',
      actorId: 'usr_1',
      requestId: 'request-1',
      data: '{}',
    });
  });

  it('names the changed fields, but does not show their values', () => {
    const event: CustomerEvent = {
      type: 'CustomerUpdated',
      data: { customerId: 'cust_1', name: 'Ada Lovelace', email: 'ada@example.com' },
    };
    expect(shown(event)).toEqual({ changed: ['name', 'email'] });
  });

  it('shows the new value of every billing setting, except the logo and possible personal data', () => {
    const event: BillingSettingsEvent = {
      type: 'BillingSettingsChanged',
      data: { workspaceId: 'acc_1', ...BILLING_DEFAULTS, invoiceFooter: 'Ask Ada', seller: null },
    };
    const { changed, ...values } = shown(event) as { changed: string[] };
    expect(changed.toSorted()).toEqual(Object.keys(BILLING_DEFAULTS).toSorted());
    expect(changed.filter((name) => !(name in values))).toEqual(['invoiceFooter', 'seller', 'logo']);
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
    expect(entryOf(event)!.data).toBe(
      '{"customerId":"cust_1","currency":"USD","attemptId":null,"total":12345678901234567.10}',
    );
  });

  it('does not show the URL of a webhook, because it can contain a token', () => {
    const event: WebhookEvent = {
      type: 'WebhookChanged',
      data: { webhookId: 'wh_1', url: 'https://hooks.example/?token=secret' },
    };
    expect(shown(event)).toEqual({ changed: ['url'] });
  });

  it('does not exist for internal events', () => {
    expect(entryOf(reference)).toBeUndefined();
    expect(entryOf({ type: 'OfAnotherProgram', data: {} })).toBeUndefined();
  });
});

const reference: DomainEvent = {
  type: 'MetricReferenced',
  data: { metricId: 'met_1', priceId: 'price_1', priceRevision: 0 },
};
const deleted = (customerId: string): DomainEvent => ({ type: 'CustomerDeleted', data: { customerId } });

describe('the chain of the entries', () => {
  const events = [deleted('a'), reference, deleted('b'), deleted('c')].map((event) =>
    recordedEvent('stream-acc_1.1', event),
  );

  it('links each entry to the one before it', () => {
    const rows = chainedRows(events, undefined);
    const first = nextLink(CHAIN_START, events[0]!);
    const second = nextLink(first, events[2]!);
    const third = nextLink(second, events[3]!);
    expect(
      rows.map(({ resourceId, sequence, digest, hash }) => [resourceId, sequence, digest, hash]),
    ).toEqual([
      ['a', '1', first.digest, first.hash],
      ['b', '2', second.digest, second.hash],
      ['c', '3', third.digest, third.hash],
    ]);
  });

  it('is the same however the events are batched', () => {
    const whole = chainedRows(events, undefined);
    for (let cut = 0; cut <= events.length; cut++) {
      const before = chainedRows(events.slice(0, cut), undefined);
      expect([...before, ...chainedRows(events.slice(cut), before.at(-1))]).toEqual(whole);
    }
  });
});
