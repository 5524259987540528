import { fold } from '#libs/kernel/domain';
import type { PostalAddress } from '#libs/kernel/core';
import {
  BILLING_DEFAULTS,
  invoiceDecider,
  type ChargedPaymentMethod,
  type Invoice,
  type InvoiceEvent,
  type Seller,
} from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';

type EventOf<Type extends InvoiceEvent['type']> = Extract<InvoiceEvent, { type: Type }>;
type DataOf<Type extends InvoiceEvent['type']> = EventOf<Type>['data'];

const at = '2023-12-16T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '133.34' };
const period = { periodStart: '2023-11-16T00:00:00.000Z', periodEnd: '2023-12-16T00:00:00.000Z' };
const price = { priceId: 'price_1', priceVersion: 1 };
/** The test card that pays. */
export const sampleMethod: ChargedPaymentMethod = {
  paymentMethodId: 'pm_1',
  type: 'test',
  test: 'pm_card_visa',
  label: 'Visa ending 4242',
};

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

/** What every event of an invoice says. */
type InvoiceFacts = Pick<DataOf<'InvoicePaid'>, 'at' | 'invoiceId' | 'customerId' | 'currency' | 'total'>;

/** Builders of the events of an invoice. Each event says these facts, unless a change says otherwise. */
export function invoiceEvents(facts: InvoiceFacts) {
  const attempt = { ...facts, attemptId: 'pay_1', attempt: 1 };
  return {
    created: (change: Partial<DataOf<'InvoiceCreated'>> = {}): EventOf<'InvoiceCreated'> => ({
      type: 'InvoiceCreated',
      data: {
        ...facts,
        subscriptionId: 'sub_1',
        kind: 'cycle',
        lines,
        ...period,
        billedAt: facts.at,
        billToName: 'Northwind Ltd',
        billToEmail: 'ap@northwind.example',
        timezone: 'UTC',
        settings: BILLING_DEFAULTS,
        ...change,
      },
    }),
    opened: (change: Partial<DataOf<'InvoiceOpened'>> = {}): EventOf<'InvoiceOpened'> => ({
      type: 'InvoiceOpened',
      data: {
        ...facts,
        number: 'INV-000042',
        sellerName: 'Contoso Cloud Services',
        dueDate: '2024-01-15T00:00:00.000Z',
        ...change,
      },
    }),
    started: (
      attemptNumber = 1,
      change: Partial<DataOf<'PaymentStarted'>> = {},
    ): EventOf<'PaymentStarted'> => ({
      type: 'PaymentStarted',
      data: {
        ...facts,
        attemptId: `pay_${attemptNumber}`,
        attempt: attemptNumber,
        amount: facts.total,
        method: sampleMethod,
        ...change,
      },
    }),
    declined: (): EventOf<'PaymentFailed'> => ({
      type: 'PaymentFailed',
      data: { ...attempt, code: 'card_declined', message: 'The card was declined.' },
    }),
    needsAction: (): EventOf<'PaymentActionRequired'> => ({
      type: 'PaymentActionRequired',
      data: { ...facts, attemptId: 'pay_1', message: 'Please confirm.' },
    }),
    confirmed: (): EventOf<'PaymentConfirmed'> => ({
      type: 'PaymentConfirmed',
      data: { ...facts, attemptId: 'pay_1' },
    }),
    succeeded: (change: Partial<DataOf<'PaymentSucceeded'>> = {}): EventOf<'PaymentSucceeded'> => ({
      type: 'PaymentSucceeded',
      data: { ...attempt, amount: facts.total, ...change },
    }),
    recorded: (change: Partial<DataOf<'PaymentRecorded'>> = {}): EventOf<'PaymentRecorded'> => ({
      type: 'PaymentRecorded',
      data: {
        ...facts,
        paymentId: 'rpay_1',
        amount: facts.total,
        method: 'bank_transfer',
        paidAt: facts.at,
        ...change,
      },
    }),
    paid: (): EventOf<'InvoicePaid'> => ({ type: 'InvoicePaid', data: { ...facts, attemptId: 'pay_1' } }),
    voided: (change: Partial<DataOf<'InvoiceVoided'>> = {}): EventOf<'InvoiceVoided'> => ({
      type: 'InvoiceVoided',
      data: { ...facts, number: 'INV-000042', reason: null, ...change },
    }),
  };
}

const sample = invoiceEvents({ at, ...reference });

/** Events of an invoice of 133.34 USD, from which documents can be made. */
export const sampleEvents = {
  ...sample,
  voided: (): InvoiceEvent => sample.voided({ at: '2023-12-17T00:00:00.000Z' }),
};

/** The invoice that these events make. */
export function invoiceOf(...events: InvoiceEvent[]): Invoice {
  return fold(invoiceDecider, events)!;
}
