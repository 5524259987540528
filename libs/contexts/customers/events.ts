import type { Instant, Language, PostalAddress } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** Why a customer pays no tax, as e-invoices distinguish it: an exempt supply, reverse charge, an export, or outside the scope of VAT. */
export const TAX_EXEMPTIONS = ['exempt', 'reverse_charge', 'export', 'not_subject'] as const;
export type TaxExemption = (typeof TAX_EXEMPTIONS)[number];

/** What a customer wants to read on its invoices, such as its cost center. */
export interface CustomField {
  name: string;
  value: string;
}

/** What can be said of a customer. `null` where nothing is known. */
export interface CustomerDetails {
  name: string;
  email: string | null;
  billingEmail: string | null;
  currency: string;
  timezone: string;
  /** What its documents are written in; null: what the billing settings say. */
  language: Language | null;
  externalId: string | null;
  address: PostalAddress | null;
  /** Its VAT identification number. */
  taxId: string | null;
  /** The number of its purchase order, as its invoices print it; null or absent: none. */
  poNumber?: string | null;
  /** What else its invoices print; absent: nothing. */
  customFields?: CustomField[];
  /** The taxes on its invoices; null: the workspace's defaults. */
  taxRateIds: string[] | null;
  /** Why it pays no tax, as invoices print it; null if it is not exempt. */
  taxExemptReason: string | null;
  /** What kind of exemption that is. */
  taxExemptType: TaxExemption;
  metadata: Record<string, unknown>;
}

/** How a customer pays. In a sandbox, `type: test` methods behave as their name says. */
export interface PaymentMethod {
  paymentMethodId: string;
  type: 'test';
  /** Which behaviour: see libs/contexts/payments. */
  test: string;
  /** For `pm_card_declineThenSucceed`: how often it is declined first. */
  declines?: number;
  /** Shown to people: "Visa ending 4242". */
  label: string;
}

export type CustomerEvent =
  | DomainEvent<'CustomerCreated', { customerId: string; at: Instant } & CustomerDetails>
  | DomainEvent<'CustomerUpdated', { customerId: string } & Partial<CustomerDetails>>
  /** Left before the subscription is created, so that none is created for a customer that is deleted at the same moment. */
  | DomainEvent<'CustomerReferenced', { customerId: string; subscriptionId: string }>
  | DomainEvent<'CustomerDeleted', { customerId: string }>
  | DomainEvent<'PaymentMethodAttached', { customerId: string } & PaymentMethod>
  | DomainEvent<'DefaultPaymentMethodChanged', { customerId: string; paymentMethodId: string }>
  | DomainEvent<'PaymentMethodDetached', { customerId: string; paymentMethodId: string }>;

const personal = {
  subject: 'customerId',
  fields: [
    ...['name', 'email', 'billingEmail', 'externalId', 'address', 'taxId', 'taxExemptReason', 'metadata'],
    ...['poNumber', 'customFields'],
  ],
};

export const customerEvents: EventCatalog<CustomerEvent> = {
  CustomerCreated: { version: 1, personal },
  CustomerUpdated: { version: 1, personal },
  CustomerReferenced: v1,
  CustomerDeleted: v1,
  PaymentMethodAttached: v1,
  DefaultPaymentMethodChanged: v1,
  PaymentMethodDetached: v1,
};
