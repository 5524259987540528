import { fold } from '#libs/kernel/domain';
import type { PostalAddress } from '#libs/kernel/core';
import {
  BILLING_DEFAULTS,
  invoiceDecider,
  type Invoice,
  type InvoiceEvent,
  type Seller,
} from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';

type DataOf<Type extends InvoiceEvent['type']> = Extract<InvoiceEvent, { type: Type }>['data'];

const at = '2023-12-16T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '133.34' };
const period = { periodStart: '2023-11-16T00:00:00.000Z', periodEnd: '2023-12-16T00:00:00.000Z' };
const price = { priceId: 'price_1', priceVersion: 1 };
const method = {
  paymentMethodId: 'pm_1',
  type: 'test',
  test: 'pm_card_visa',
  label: 'Visa ending 4242',
} as const;

const lines: InvoiceLine[] = [
  {
    ...price,
    ...period,
    id: 'line_1',
    type: 'usage',
    description: 'Requests',
    quantity: '8819',
    unitPrice: '0.01',
    amount: '88.19',
  },
  {
    ...price,
    ...period,
    id: 'line_2',
    type: 'usage',
    description: 'Context tokens',
    quantity: '18059974',
    unitPrice: '0.0000025',
    amount: '45.15',
  },
];

/** A customer's address. */
export const sampleAddress: PostalAddress = {
  line1: '1 rue de la Paix',
  line2: null,
  city: 'Paris',
  postalCode: '75002',
  region: null,
  country: 'FR',
};

/** A seller of whom everything is known. */
export const sampleSeller: Seller = {
  legalName: 'Contoso GmbH',
  address: {
    line1: 'Hauptstr. 1',
    line2: null,
    city: 'Berlin',
    postalCode: '10115',
    region: null,
    country: 'DE',
  },
  taxId: 'DE123456789',
  registrationNumber: 'HRB 1234 B',
  email: 'billing@contoso.example',
  phone: '+49 30 1234567',
  bankAccount: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
};

/** Events of an invoice as they would be, for documents to be made from. */
export const sampleEvents = {
  created: (change: Partial<DataOf<'InvoiceCreated'>> = {}): InvoiceEvent => ({
    type: 'InvoiceCreated',
    data: {
      at,
      ...reference,
      subscriptionId: 'sub_1',
      kind: 'cycle',
      lines,
      ...period,
      billedAt: at,
      billToName: 'Northwind Ltd',
      billToEmail: 'ap@northwind.example',
      timezone: 'UTC',
      settings: BILLING_DEFAULTS,
      ...change,
    },
  }),
  opened: (change: Partial<DataOf<'InvoiceOpened'>> = {}): InvoiceEvent => ({
    type: 'InvoiceOpened',
    data: {
      at,
      ...reference,
      number: 'INV-000042',
      sellerName: 'Contoso Cloud Services',
      dueDate: '2024-01-15T00:00:00.000Z',
      ...change,
    },
  }),
  started: (): InvoiceEvent => ({
    type: 'PaymentStarted',
    data: { at, ...reference, attemptId: 'pay_1', attempt: 1, amount: '133.34', method },
  }),
  declined: (): InvoiceEvent => ({
    type: 'PaymentFailed',
    data: {
      at,
      ...reference,
      attemptId: 'pay_1',
      attempt: 1,
      code: 'card_declined',
      message: 'The card was declined.',
    },
  }),
  needsAction: (): InvoiceEvent => ({
    type: 'PaymentActionRequired',
    data: { at, ...reference, attemptId: 'pay_1', message: 'Please confirm.' },
  }),
  succeeded: (): InvoiceEvent => ({
    type: 'PaymentSucceeded',
    data: { at, ...reference, attemptId: 'pay_1', attempt: 1, amount: '133.34' },
  }),
  paid: (): InvoiceEvent => ({ type: 'InvoicePaid', data: { at, ...reference, attemptId: 'pay_1' } }),
  voided: (): InvoiceEvent => ({
    type: 'InvoiceVoided',
    data: { at: '2023-12-17T00:00:00.000Z', ...reference, number: 'INV-000042', reason: null },
  }),
};

/** The invoice that these events make. */
export function invoiceOf(...events: InvoiceEvent[]): Invoice {
  return fold(invoiceDecider, events)!;
}
