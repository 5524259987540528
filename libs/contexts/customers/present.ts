import { additionalEmailsOrNone } from './mail-addresses.js';
import { customFieldsOrNone } from './custom-fields.js';
import type { Customer } from './customer.js';
import type { PaymentMethod } from './events.js';

/** Converts a customer to its form in the API. */
export function presentCustomer(customer: Customer) {
  return {
    id: customer.customerId,
    name: customer.name,
    email: customer.email,
    billingEmail: customer.billingEmail,
    additionalEmails: additionalEmailsOrNone(customer.additionalEmails),
    currency: customer.currency,
    timezone: customer.timezone,
    language: customer.language,
    externalId: customer.externalId,
    // The address and the metadata are a text once they were erased.
    address: typeof customer.address === 'object' ? customer.address : null,
    taxId: customer.taxId,
    poNumber: customer.poNumber ?? null,
    buyerReference: customer.buyerReference ?? null,
    // It is a text once it was erased.
    electronicAddress: typeof customer.electronicAddress === 'object' ? customer.electronicAddress : null,
    eInvoiceProfile: customer.eInvoiceProfile ?? null,
    customFields: customFieldsOrNone(customer.customFields),
    taxRateIds: customer.taxRateIds,
    taxExemptReason: customer.taxExemptReason,
    taxExemptType: customer.taxExemptType,
    metadata: typeof customer.metadata === 'object' ? customer.metadata : {},
    defaultPaymentMethodId: customer.defaultPaymentMethodId,
    createdAt: customer.createdAt,
  };
}

/** Converts a customer's payment methods to their form in the API. */
export function presentPaymentMethods(customer: Customer) {
  return customer.paymentMethods.map((method) => ({
    id: method.paymentMethodId,
    type: method.type,
    ...presentKind(method),
    label: method.label,
    default: method.paymentMethodId === customer.defaultPaymentMethodId,
  }));
}

function presentKind(method: PaymentMethod) {
  if (method.type === 'card') {
    const { expiryMonth, expiryYear } = method;
    return { expiryMonth, expiryYear };
  }
  return { test: method.test, ...(method.declines === undefined ? {} : { declines: method.declines }) };
}
