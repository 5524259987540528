import { QuantityLimitsProperty, QuantityLimitsView } from './portal-session.dto.js';
import { ApiProperty, PartialType, PickType } from '@nestjs/swagger';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import { ADDITIONAL_EMAILS, CreateCustomerBody } from '../customers/customer.dto.js';
import { BodyExample, PostalAddressView } from '../http/index.js';

/** The data of a customer that the customer can see in the portal. */
export class PortalCustomerView {
  @ApiProperty({ example: 'cust_northwind' }) id: string;
  @ApiProperty({ description: 'The name of the customer, which invoices print.', example: 'Northwind Ltd' })
  name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The contact e-mail address.',
    example: 'office@northwind.example',
  })
  email: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The e-mail address for invoices, if it is not `email`.',
    example: null,
  })
  billingEmail: string | null;
  @ApiProperty({ type: [String], ...ADDITIONAL_EMAILS }) additionalEmails: string[];
  @ApiProperty({ example: 'USD', description: 'The currency of the customer.' }) currency: string;
  @ApiProperty({
    example: 'UTC',
    description:
      'The time zone in which billing periods begin and end, unless a subscription has a time zone of its own.',
  })
  timezone: string;
  @ApiProperty({
    type: String,
    enum: [...LANGUAGES, null],
    nullable: true,
    description:
      "The language of invoices and payment pages. Null if the customer has no language; the language in the seller's " +
      'billing settings is used.',
  })
  language: Language | null;
  @ApiProperty({
    type: PostalAddressView,
    nullable: true,
    description: 'The postal address on invoices. Null if no address is known.',
  })
  address: PostalAddressView | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The VAT identification number on invoices. Only the seller can change the VAT identification number.',
    example: 'DE123456789',
  })
  taxId: string | null;
}

/** The contact data to change. A field that is left out stays as it is. */
@BodyExample({ email: 'office@northwind.example' })
export class UpdatePortalCustomerBody extends PartialType(
  PickType(CreateCustomerBody, [
    'name',
    'email',
    'billingEmail',
    'additionalEmails',
    'language',
    'address',
  ] as const),
  // By default, a null would skip the checks of a field. Here each field must check a null too.
  { skipNullProperties: false },
) {}

/** The permissions of the portal session, and the name and colour of the seller to show in the portal. */
export class PortalConfigView {
  @ApiProperty({ description: 'Whether `POST /v1/portal/plan-change` is allowed.', example: true })
  allowPlanChanges: boolean;
  @QuantityLimitsProperty()
  quantityLimits: QuantityLimitsView | null;
  @ApiProperty({
    description: 'Whether `POST /v1/portal/wallets/{type}/purchase` is allowed.',
    example: true,
  })
  allowCreditPurchases: boolean;
  @ApiProperty({
    type: [String],
    enum: ['test'],
    isArray: true,
    description:
      'The types of payment methods that `POST /v1/portal/payment-methods` can add. Only a sandbox has the type `test`. In a live ' +
      'workspace the list is empty, because customers enter cards on a page of Stripe.',
    example: ['test'],
  })
  paymentMethodTypes: string[];
  @ApiProperty({
    format: 'date-time',
    description: 'The time from which the token of the portal session is refused.',
  })
  expiresAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Contoso GmbH',
    description: 'The name of the seller. Null if the workspace has no name.',
  })
  sellerName: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '#0b5fff',
    description: "The colour of the seller's documents. Null for none.",
  })
  brandColor: string | null;
  @ApiProperty({ description: 'Whether payments are simulated.', example: true }) sandbox: boolean;
}
