import type { CustomerEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<CustomerEvent> = {
  CustomerCreated: { action: 'customer.created', id: 'customerId', show: ['currency', 'timezone'] },
  CustomerUpdated: { action: 'customer.updated', id: 'customerId', changes: true },
  CustomerReferenced: INTERNAL,
  CustomerDeleted: { action: 'customer.deleted', id: 'customerId' },
  PaymentMethodAttached: {
    action: 'customer.payment_method_attached',
    id: 'customerId',
    show: ['paymentMethodId', 'type', 'makesDefault'],
    // What it was added to pay: all open invoices, or one by its id.
    showAs: { pays: (pays) => (typeof pays === 'object' ? pays.invoiceId : pays) },
  },
  DefaultPaymentMethodChanged: {
    action: 'customer.default_payment_method_changed',
    id: 'customerId',
    show: ['paymentMethodId'],
  },
  PaymentMethodDetached: {
    action: 'customer.payment_method_detached',
    id: 'customerId',
    show: ['paymentMethodId'],
  },
};
