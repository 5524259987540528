import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/testing';
import { customerDecider } from './customer.js';
import type { CustomerDetails, CustomerEvent, PaymentMethod } from './events.js';

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
const customerId = 'cust_1';
const at = '2026-01-01T00:00:00.000Z';
const created: CustomerEvent = { type: 'CustomerCreated', data: { customerId, createdAt: at, ...details } };
const deleted: CustomerEvent = { type: 'CustomerDeleted', data: { customerId } };
const visa: PaymentMethod = {
  paymentMethodId: 'pm_1',
  type: 'test',
  test: 'pm_card_visa',
  label: 'Visa ending 4242',
};
const attached: CustomerEvent = { type: 'PaymentMethodAttached', data: { customerId, ...visa } };
const second: CustomerEvent = {
  type: 'PaymentMethodAttached',
  data: { customerId, ...visa, paymentMethodId: 'pm_2' },
};

const { given } = decide(customerDecider);

describe('creating a customer', () => {
  it('records all that was given', () => {
    given().when({ type: 'CreateCustomer', at, customerId, details }).then(created);
  });

  it('refuses an id that is taken, also by a deleted customer', () => {
    given(created)
      .when({ type: 'CreateCustomer', at, customerId, details })
      .refused('customer_already_exists');
    given(created, deleted)
      .when({ type: 'CreateCustomer', at, customerId, details })
      .refused('customer_already_exists');
  });
});

describe('a kind of exemption from taxes', () => {
  const exempt: CustomerDetails = { ...details, taxExemptType: 'export', taxExemptReason: 'Export' };
  const update = (changes: Partial<CustomerDetails>) =>
    ({ type: 'UpdateCustomer', customerId, changes }) as const;

  it('needs a reason, without which it would exempt from nothing', () => {
    const noReason = { ...exempt, taxExemptReason: null };
    given().when({ type: 'CreateCustomer', at, customerId, details: noReason }).refused('validation_failed');
    given(created)
      .when(update({ taxExemptType: 'export' }))
      .refused('validation_failed');
  });

  it('may be given to a reason that is there', () => {
    const withReason: CustomerEvent = {
      type: 'CustomerUpdated',
      data: { customerId, taxExemptReason: 'Export' },
    };
    given(created, withReason)
      .when(update({ taxExemptType: 'export' }))
      .then({ type: 'CustomerUpdated', data: { customerId, taxExemptType: 'export' } });
  });
});

describe('changing a customer', () => {
  it('records only what differs', () => {
    given(created)
      .when({ type: 'UpdateCustomer', customerId, changes: { name: 'Northwind GmbH', currency: 'USD' } })
      .then({ type: 'CustomerUpdated', data: { customerId, name: 'Northwind GmbH' } });
  });

  it('records nothing when nothing differs', () => {
    given(created)
      .when({ type: 'UpdateCustomer', customerId, changes: { metadata: { segment: 'smb' } } })
      .then();
  });

  it('does not find a customer that was never created or is deleted', () => {
    given()
      .when({ type: 'UpdateCustomer', customerId, changes: { name: 'X' } })
      .refused('customer_not_found');
    given(created, deleted).when({ type: 'DeleteCustomer', customerId }).refused('customer_not_found');
  });
});

describe('payment methods', () => {
  it('makes the first one the default and keeps it so', () => {
    const state = given(created, attached)
      .when({ type: 'AttachPaymentMethod', customerId, method: { ...visa, paymentMethodId: 'pm_2' } })
      .state();
    expect(state?.defaultPaymentMethodId).toBe('pm_1');
  });

  it('falls back to the next when the default is detached', () => {
    const state = given(created, attached, second)
      .when({ type: 'DetachPaymentMethod', customerId, paymentMethodId: 'pm_1' })
      .state();
    expect(state?.defaultPaymentMethodId).toBe('pm_2');
  });

  it('does not know a method that is not attached', () => {
    given(created, attached)
      .when({ type: 'SetDefaultPaymentMethod', customerId, paymentMethodId: 'pm_9' })
      .refused('payment_method_not_found');
  });
});
