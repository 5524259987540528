import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
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
const created: CustomerEvent = { type: 'CustomerCreated', data: { customerId, at, ...details } };
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
  it('records all given details', () => {
    given().when({ type: 'CreateCustomer', at, customerId, details }).then(created);
  });

  it('refuses an id that is taken, even by a deleted customer', () => {
    given(created)
      .when({ type: 'CreateCustomer', at, customerId, details })
      .refused('customer_already_exists', 'id');
    given(created, deleted)
      .when({ type: 'CreateCustomer', at, customerId, details })
      .refused('customer_already_exists', 'id');
  });
});

describe('a kind of exemption from taxes', () => {
  const exempt: CustomerDetails = { ...details, taxExemptType: 'export', taxExemptReason: 'Export' };
  const update = (changes: Partial<CustomerDetails>) =>
    ({ type: 'UpdateCustomer', customerId, changes }) as const;

  it('needs a reason, because without one the customer is not exempt', () => {
    const noReason = { ...exempt, taxExemptReason: null };
    given()
      .when({ type: 'CreateCustomer', at, customerId, details: noReason })
      .refused('validation_failed', 'taxExemptReason');
    given(created)
      .when(update({ taxExemptType: 'export' }))
      .refused('validation_failed', 'taxExemptReason');
  });

  it('can be added to an existing reason', () => {
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

  it('omits fields that are not given', () => {
    const changes = {
      name: undefined,
      email: 'new@northwind.example',
    } as unknown as Partial<CustomerDetails>;
    given(created)
      .when({ type: 'UpdateCustomer', customerId, changes })
      .then({ type: 'CustomerUpdated', data: { customerId, email: 'new@northwind.example' } });
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
    given(created, deleted)
      .when({ type: 'DeleteCustomer', customerId, endedReferenceCount: 0 })
      .refused('customer_not_found');
  });
});

describe('deleting a customer', () => {
  const referenced = (subscriptionId: string): CustomerEvent => ({
    type: 'CustomerReferenced',
    data: { customerId, subscriptionId },
  });
  const remove = (endedReferenceCount: number) =>
    ({ type: 'DeleteCustomer', customerId, endedReferenceCount }) as const;
  const reference = { type: 'ReferenceCustomer', customerId, subscriptionId: 'sub_1' } as const;

  it('succeeds only if every reference to a subscription was checked', () => {
    given(created).when(remove(0)).then(deleted);
    given(created, referenced('sub_1')).when(remove(0)).refused('customer_has_subscriptions');
    given(created, referenced('sub_1')).when(remove(1)).then(deleted);
    given(created, referenced('sub_1'), referenced('sub_2'))
      .when(remove(1))
      .refused('customer_has_subscriptions');
  });

  it('refuses subscriptions afterwards', () => {
    given(created).when(reference).then(referenced('sub_1'));
    given(created, deleted).when(reference).refused('customer_not_found');
    given().when(reference).refused('customer_not_found');
  });
});

describe('payment methods', () => {
  it('makes the first one the default and keeps it so', () => {
    const state = given(created, attached)
      .when({ type: 'AttachPaymentMethod', customerId, method: { ...visa, paymentMethodId: 'pm_2' } })
      .state();
    expect(state?.defaultPaymentMethodId).toBe('pm_1');
  });

  const attach = (method: PaymentMethod) => ({ type: 'AttachPaymentMethod', customerId, method }) as const;
  const makeDefault = (paymentMethodId: string) =>
    ({ type: 'SetDefaultPaymentMethod', customerId, paymentMethodId }) as const;
  const detach = (paymentMethodId: string) =>
    ({ type: 'DetachPaymentMethod', customerId, paymentMethodId }) as const;
  const changedTo = (paymentMethodId: string): CustomerEvent => ({
    type: 'DefaultPaymentMethodChanged',
    data: { customerId, paymentMethodId },
  });

  it('are attached once each', () => {
    given(created).when(attach(visa)).then(attached);
    given(created, attached).when(attach(visa)).then();
    given(created, attached, second).when(attach(visa)).then();
    given(created, attached)
      .when(attach({ ...visa, paymentMethodId: 'pm_2' }))
      .then(second);
  });

  it('become the default if they are added for it, and keep no trace of what they were added for', () => {
    const purpose = { makesDefault: true, pays: { invoiceId: 'inv_1', amount: '20.00' } } as const;
    const other = { ...visa, paymentMethodId: 'pm_2' };
    const added: CustomerEvent = {
      type: 'PaymentMethodAttached',
      data: { customerId, ...other, ...purpose },
    };
    given(created, attached)
      .when({ ...attach(other), purpose })
      .then(added);
    expect(given(created, attached, added).state()).toMatchObject({
      defaultPaymentMethodId: 'pm_2',
      paymentMethods: [visa, other],
    });
  });

  it('have another default once it is chosen', () => {
    given(created, attached, second).when(makeDefault('pm_2')).then(changedTo('pm_2'));
    given(created, attached, second).when(makeDefault('pm_1')).then();
    given(created, attached, second, changedTo('pm_2')).when(makeDefault('pm_2')).then();
    expect(given(created, attached, second, changedTo('pm_2')).state()?.defaultPaymentMethodId).toBe('pm_2');
  });

  it('keep their default when another one is detached, and have none without any', () => {
    const defaultAfter = (...ids: string[]) =>
      ids.reduce(
        (history, id) => {
          const events = given(...history)
            .when(detach(id))
            .events();
          return [...history, ...events];
        },
        [created, attached, second, changedTo('pm_2')] as CustomerEvent[],
      );
    const state = (...ids: string[]) => given(...defaultAfter(...ids)).state()!.defaultPaymentMethodId;
    expect([state('pm_1'), state('pm_2'), state('pm_1', 'pm_2')]).toEqual(['pm_2', 'pm_1', null]);
    given(created, attached).when(detach('pm_9')).refused('payment_method_not_found');
    const third: CustomerEvent = {
      type: 'PaymentMethodAttached',
      data: { customerId, ...visa, paymentMethodId: 'pm_3' },
    };
    const chosen = given(created, attached, second, third, changedTo('pm_3')).when(detach('pm_1')).state()!;
    expect(chosen.defaultPaymentMethodId).toBe('pm_3');
  });

  it('falls back to the next when the default is detached', () => {
    const state = given(created, attached, second)
      .when({ type: 'DetachPaymentMethod', customerId, paymentMethodId: 'pm_1' })
      .state();
    expect(state?.defaultPaymentMethodId).toBe('pm_2');
  });

  it('refuses a method that is not attached', () => {
    given(created, attached)
      .when({ type: 'SetDefaultPaymentMethod', customerId, paymentMethodId: 'pm_9' })
      .refused('payment_method_not_found');
  });
});
