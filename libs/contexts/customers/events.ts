import type {
  DecimalString,
  EInvoiceProfile,
  ElectronicAddress,
  Instant,
  Language,
  PostalAddress,
} from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The kinds of tax exemption that e-invoices distinguish: exempt supply, reverse charge, export, and outside the scope of VAT. */
export const TAX_EXEMPTIONS = ['exempt', 'reverse_charge', 'export', 'not_subject'] as const;
export type TaxExemption = (typeof TAX_EXEMPTIONS)[number];

/** A field that the customer wants to see on its invoices, such as its cost center. */
export interface CustomField {
  name: string;
  value: string;
}

/** The fields of a customer. Unknown values are `null`. */
export interface CustomerDetails {
  name: string;
  /** The customer's e-mail address. Mail goes to it unless `billingEmail` is given. */
  email: string | null;
  /** The e-mail address for invoices and other mail. If null, mail goes to `email`. */
  billingEmail: string | null;
  /** Addresses that get the same mail, each in a mail of its own. Absent if there are none. */
  additionalEmails?: string[];
  currency: string;
  timezone: string;
  /** The language of the customer's documents; null for the language of the billing settings. */
  language: Language | null;
  /** The id of the customer in another system. */
  externalId: string | null;
  address: PostalAddress | null;
  /** The VAT identification number. */
  taxId: string | null;
  /**
   * The number of the customer's purchase order, which is printed on invoices. Null or absent if the customer has no purchase order number.
   */
  poNumber?: string | null;
  /** The reference that the customer needs on its e-invoices, such as a Leitweg-ID (BT-10). Null or absent if there is none. */
  buyerReference?: string | null;
  /** The customer's address in a network for e-invoices (BT-49). If null or absent, it is the e-mail address of its invoices. */
  electronicAddress?: ElectronicAddress | null;
  /** The specification that the customer's e-invoices keep to. If null or absent, it is EN 16931 alone. */
  eInvoiceProfile?: EInvoiceProfile | null;
  /** Other fields that invoices print. Absent if the customer has no custom fields. */
  customFields?: CustomField[];
  /** The tax rates on the customer's invoices, for lines whose price or item names none; null for the defaults of the workspace. */
  taxRateIds: string[] | null;
  /** The reason for a tax exemption, which is printed on invoices; null if the customer is not exempt. */
  taxExemptReason: string | null;
  /** The kind of the tax exemption, without effect if `taxExemptReason` is null. */
  taxExemptType: TaxExemption;
  metadata: Record<string, unknown>;
}

/** A payment method of a customer: a card at a payment processor, or a test method of a sandbox. */
export type PaymentMethod = TestPaymentMethod | CardPaymentMethod;

/** A card that a payment processor keeps. */
export interface CardPaymentMethod {
  paymentMethodId: string;
  type: 'card';
  /** The payment processor that keeps the card. */
  gateway: 'stripe';
  /** The processor's id of the customer. */
  gatewayCustomerId: string;
  /** The processor's id of the card. */
  gatewayMethodId: string;
  /** The month (1 to 12) in which the card expires, at the end of the month. */
  expiryMonth: number;
  expiryYear: number;
  /** The name that people see, such as "Visa •••• 4242". */
  label: string;
}

/** A payment method for sandboxes. `test` determines whether charges succeed. */
export interface TestPaymentMethod {
  paymentMethodId: string;
  type: 'test';
  /** The name of the test behaviour: see libs/contexts/payments. */
  test: string;
  /**
   * The number of attempts that the test payment method declines before it accepts one. Only `pm_card_declineThenSucceed` has this field.
   */
  declines?: number;
  /** The name that people see, such as "Visa ending 4242". */
  label: string;
}

/** An invoice that a customer wants to pay, and the amount that the customer was shown. No other amount is charged. */
export interface InvoiceToPay {
  invoiceId: string;
  amount: DecimalString;
}

/** What a payment method is added for. Events before these fields have none: the payment method is only put on file. */
export interface PaymentMethodPurpose {
  /** What the customer wants to pay with it: one invoice, or all that are open. Absent if it only goes on file. */
  pays?: 'open' | InvoiceToPay;
  /** Makes it the default in place of another payment method. */
  makesDefault?: true;
}

/**
 * Tells whether an added payment method replaces the one that was declined, so that whatever was declined is charged at once. A payment
 * method that was added to pay one invoice is charged for nothing else at once, because the customer saw only that amount.
 */
export function paysWhatWasDeclined({ pays }: PaymentMethodPurpose): boolean {
  return typeof pays !== 'object';
}

export type CustomerEvent =
  | DomainEvent<'CustomerCreated', { customerId: string; at: Instant } & CustomerDetails>
  | DomainEvent<'CustomerUpdated', { customerId: string } & Partial<CustomerDetails>>
  /**
   * A subscription is about to be created for the customer. `CustomerReferenced` is stored before the subscription, so that no subscription
   * is created for a customer that is deleted at the same moment.
   */
  | DomainEvent<'CustomerReferenced', { customerId: string; subscriptionId: string }>
  | DomainEvent<'CustomerDeleted', { customerId: string }>
  | DomainEvent<'PaymentMethodAttached', { customerId: string } & PaymentMethod & PaymentMethodPurpose>
  | DomainEvent<'DefaultPaymentMethodChanged', { customerId: string; paymentMethodId: string }>
  | DomainEvent<'PaymentMethodDetached', { customerId: string; paymentMethodId: string }>;

/** The personal fields of a customer. The personal fields are encrypted in events. */
export const PERSONAL_FIELDS: readonly string[] = [
  'name',
  'email',
  'billingEmail',
  'additionalEmails',
  'externalId',
  'address',
  'taxId',
  'taxExemptReason',
  'metadata',
  'poNumber',
  'customFields',
  'buyerReference',
  'electronicAddress',
];

const personal = { subject: 'customerId', fields: PERSONAL_FIELDS };

export const customerEvents: EventCatalog<CustomerEvent> = {
  CustomerCreated: { version: 1, personal },
  CustomerUpdated: { version: 1, personal },
  CustomerReferenced: v1,
  CustomerDeleted: v1,
  PaymentMethodAttached: { version: 1, personal: { subject: 'customerId', fields: ['label'] } },
  DefaultPaymentMethodChanged: v1,
  PaymentMethodDetached: v1,
};
