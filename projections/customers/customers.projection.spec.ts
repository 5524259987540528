import { describe, it } from '@jest/globals';
import type { CustomerDetails } from '#libs/contexts/customers';
import { project, recordedEvent } from '#libs/kernel/testing';
import { customersProjection } from './customers.projection.js';

const stream = 'customer-acc_1.cust_1';
const customerId = 'cust_1';
const createdAt = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';
const details: CustomerDetails = {
  name: 'Northwind Ltd',
  email: 'ops@northwind.example',
  billingEmail: null,
  currency: 'USD',
  timezone: 'UTC',
  language: null,
  externalId: null,
  address: null,
  taxId: null,
  taxRateIds: null,
  taxExemptReason: null,
  taxExemptType: 'exempt',
  metadata: { segment: 'smb' },
};
const created = recordedEvent(
  stream,
  { type: 'CustomerCreated', data: { customerId, at: createdAt, ...details } },
  { position: 7n, occurredAt: createdAt },
);
const state = {
  customerId,
  createdAt,
  ...details,
  deleted: false,
  paymentMethods: [],
  defaultPaymentMethodId: null,
};
const row = {
  stream,
  workspaceId: 'acc_1',
  id: customerId,
  state,
  createdAt,
  updatedAt: createdAt,
  createdPosition: '7',
  deleted: false,
  email: 'ops@northwind.example',
  externalId: null,
};
const { given } = project(customersProjection);

describe('the customers read model', () => {
  it('has a row for each customer, with its state', () => {
    given(created).then({ [stream]: row });
  });

  it('follows changes, and keeps its place in the order of creation', () => {
    given(
      created,
      recordedEvent(
        stream,
        { type: 'CustomerUpdated', data: { customerId, name: 'Northwind GmbH' } },
        { position: 9n, occurredAt: later },
      ),
    ).then({ [stream]: { ...row, updatedAt: later, state: { ...state, name: 'Northwind GmbH' } } });
  });

  it('keeps a deleted customer, marked, since its invoices name it', () => {
    given(
      created,
      recordedEvent(stream, { type: 'CustomerDeleted', data: { customerId } }, { occurredAt: later }),
    ).then({
      [stream]: { ...row, updatedAt: later, deleted: true, state: { ...state, deleted: true } },
    });
  });

  it('ignores the events of other aggregates', () => {
    given({ ...created, stream: 'plan-acc_1.cust_1' }).then({});
  });
});
