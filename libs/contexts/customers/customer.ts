import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, erasedValue, mapPersonalFields, requireCreated } from '#libs/kernel/domain';
import {
  customerEvents,
  PERSONAL_FIELDS,
  type CustomerDetails,
  type CustomerEvent,
  type PaymentMethod,
  type PaymentMethodPurpose,
  type TaxExemption,
} from './events.js';

/** The state of a customer, from its events. */
export interface Customer extends CustomerDetails {
  customerId: string;
  createdAt: Instant;
  deleted: boolean;
  /**
   * The number of references to subscriptions that were created for the customer, or were about to be created; absent if zero. A
   * subscription can have several references.
   */
  references?: number;
  paymentMethods: PaymentMethod[];
  defaultPaymentMethodId: string | null;
}

type PaymentMethodAttached = Extract<CustomerEvent, { type: 'PaymentMethodAttached' }>;

export type CustomerCommand =
  | { type: 'CreateCustomer'; at: Instant; customerId: string; details: CustomerDetails }
  | { type: 'UpdateCustomer'; customerId: string; changes: Partial<CustomerDetails> }
  /** Records that a subscription is about to be created for the customer. */
  | { type: 'ReferenceCustomer'; customerId: string; subscriptionId: string }
  /** `endedReferenceCount` is the number of references to subscriptions that have ended or will never exist. */
  | { type: 'DeleteCustomer'; customerId: string; endedReferenceCount: number }
  | { type: 'AttachPaymentMethod'; customerId: string; method: PaymentMethod; purpose?: PaymentMethodPurpose }
  | { type: 'SetDefaultPaymentMethod'; customerId: string; paymentMethodId: string }
  | { type: 'DetachPaymentMethod'; customerId: string; paymentMethodId: string };

type Of<Type extends CustomerCommand['type']> = Extract<CustomerCommand, { type: Type }>;

export const customerDecider = defineDecider<Customer, CustomerCommand, CustomerEvent>({
  category: 'customer',
  events: customerEvents,
  decide(command, customer) {
    switch (command.type) {
      case 'CreateCustomer':
        return createCustomer(command, customer);
      case 'UpdateCustomer':
        return updateCustomer(command, requireCustomer(command.customerId, customer));
      case 'ReferenceCustomer':
        return referenceCustomer(command, customer);
      case 'DeleteCustomer':
        return deleteCustomer(command, requireCustomer(command.customerId, customer));
      case 'AttachPaymentMethod':
        return attachPaymentMethod(command, requireCustomer(command.customerId, customer));
      case 'SetDefaultPaymentMethod':
        return setDefaultPaymentMethod(command, requireCustomer(command.customerId, customer));
      case 'DetachPaymentMethod':
        return detachPaymentMethod(command, requireCustomer(command.customerId, customer));
    }
  },
  evolve,
  withoutPersonalData: (customer) =>
    mapPersonalFields(customer, [...PERSONAL_FIELDS, 'paymentMethods.*.label'], erasedValue),
});

/** Returns the customer. Throws NotFound if the customer was never created or is deleted. */
export function requireCustomer(customerId: string, customer: Customer | undefined): Customer {
  if (!customer || customer.deleted) throw NotFound.of('customer', customerId);
  return customer;
}

/**
 * Creates a customer. A customer id can be used only once. The id of a deleted customer cannot be used again, because its invoices still
 * refer to it.
 */
function createCustomer(
  { at, customerId, details }: Of<'CreateCustomer'>,
  customer: Customer | undefined,
): CustomerEvent[] {
  if (customer)
    throw new Conflict(
      'customer_already_exists',
      customer.deleted
        ? `The id "${customerId}" belongs to a deleted customer; choose another`
        : `A customer "${customerId}" exists already; choose another id or change that one with PATCH`,
      [{ field: 'id', message: 'is taken' }],
    );
  requireTaxExemptReason(details.taxExemptType, details.taxExemptReason);
  return [{ type: 'CustomerCreated', data: { customerId, at, ...details } }];
}

function updateCustomer({ customerId, changes }: Of<'UpdateCustomer'>, customer: Customer): CustomerEvent[] {
  const { taxExemptType, taxExemptReason = customer.taxExemptReason } = changes;
  requireTaxExemptReason(taxExemptType, taxExemptReason);
  const changed = Object.entries(changes).filter(
    ([field, value]) =>
      value !== undefined && !isDeepStrictEqual(customer[field as keyof CustomerDetails], value),
  );
  if (changed.length === 0) return [];
  return [{ type: 'CustomerUpdated', data: { customerId, ...Object.fromEntries(changed) } }];
}

/**
 * Refuses a kind of tax exemption other than `exempt` without a reason. Only the reason exempts a customer from tax, so a kind of exemption
 * without a reason would have no effect. An update that only removes the reason is accepted, and the kind stays.
 */
function requireTaxExemptReason(type: TaxExemption | undefined, reason: string | null): void {
  if (type === undefined || type === 'exempt' || reason !== null) return;
  throw InvalidRequest.field(
    'taxExemptReason',
    `is required with taxExemptType ${type}: why the customer pays no tax, as its invoices print it`,
  );
}

function referenceCustomer(
  { customerId, subscriptionId }: Of<'ReferenceCustomer'>,
  customer: Customer | undefined,
): CustomerEvent[] {
  requireCustomer(customerId, customer);
  return [{ type: 'CustomerReferenced', data: { customerId, subscriptionId } }];
}

/**
 * Deletes the customer. Refuses the deletion if a reference to a subscription was recorded after the customer's subscriptions were checked.
 * That subscription may exist by now.
 */
function deleteCustomer(
  { customerId, endedReferenceCount }: Of<'DeleteCustomer'>,
  { references = 0 }: Customer,
): CustomerEvent[] {
  if (references !== endedReferenceCount)
    throw new Conflict(
      'customer_has_subscriptions',
      `Customer "${customerId}" is being subscribed at this moment; cancel the subscription first`,
    );
  return [{ type: 'CustomerDeleted', data: { customerId } }];
}

/** Attaches a payment method. The first payment method becomes the default, and so does one that was added for it. */
function attachPaymentMethod(
  { customerId, method, purpose }: Of<'AttachPaymentMethod'>,
  customer: Customer,
): CustomerEvent[] {
  if (customer.paymentMethods.some(({ paymentMethodId }) => paymentMethodId === method.paymentMethodId))
    return [];
  return [{ type: 'PaymentMethodAttached', data: { customerId, ...method, ...purpose } }];
}

function setDefaultPaymentMethod(
  { customerId, paymentMethodId }: Of<'SetDefaultPaymentMethod'>,
  customer: Customer,
): CustomerEvent[] {
  requirePaymentMethod(paymentMethodId, customer);
  if (customer.defaultPaymentMethodId === paymentMethodId) return [];
  return [{ type: 'DefaultPaymentMethodChanged', data: { customerId, paymentMethodId } }];
}

function detachPaymentMethod(
  { customerId, paymentMethodId }: Of<'DetachPaymentMethod'>,
  customer: Customer,
): CustomerEvent[] {
  requirePaymentMethod(paymentMethodId, customer);
  return [{ type: 'PaymentMethodDetached', data: { customerId, paymentMethodId } }];
}

/** The payment method of an event. What it was added for is done once, and not kept. */
function withoutPurpose(attached: PaymentMethodAttached['data']): PaymentMethod {
  const { customerId: _, ...method } = attached;
  delete method.pays;
  delete method.makesDefault;
  return method;
}

function requirePaymentMethod(paymentMethodId: string, customer: Customer): void {
  if (!customer.paymentMethods.some((method) => method.paymentMethodId === paymentMethodId))
    throw NotFound.of('payment method', paymentMethodId);
}

function evolve(state: Customer | undefined, event: CustomerEvent): Customer {
  if (event.type === 'CustomerCreated') {
    const { at: createdAt, ...details } = event.data;
    return { ...details, createdAt, deleted: false, paymentMethods: [], defaultPaymentMethodId: null };
  }
  const customer = requireCreated(state, event);
  switch (event.type) {
    case 'CustomerUpdated':
      return { ...customer, ...event.data };
    case 'CustomerReferenced':
      return { ...customer, references: (customer.references ?? 0) + 1 };
    case 'CustomerDeleted':
      return { ...customer, deleted: true };
    case 'PaymentMethodAttached': {
      const { defaultPaymentMethodId } = customer;
      const { makesDefault } = event.data;
      const method = withoutPurpose(event.data);
      return {
        ...customer,
        paymentMethods: [...customer.paymentMethods, method],
        defaultPaymentMethodId: makesDefault
          ? method.paymentMethodId
          : (defaultPaymentMethodId ?? method.paymentMethodId),
      };
    }
    case 'DefaultPaymentMethodChanged':
      return { ...customer, defaultPaymentMethodId: event.data.paymentMethodId };
    case 'PaymentMethodDetached': {
      const paymentMethods = customer.paymentMethods.filter(
        ({ paymentMethodId }) => paymentMethodId !== event.data.paymentMethodId,
      );
      const keepsDefault = customer.defaultPaymentMethodId !== event.data.paymentMethodId;
      return {
        ...customer,
        paymentMethods,
        defaultPaymentMethodId: keepsDefault
          ? customer.defaultPaymentMethodId
          : (paymentMethods[0]?.paymentMethodId ?? null),
      };
    }
  }
}
