import { PartialType, OmitType } from '@nestjs/swagger';
import { ApiProperty } from '@nestjs/swagger';
import { E_INVOICE_PROFILES, LANGUAGES, type EInvoiceProfile, type Language } from '#libs/kernel/core';
import { TAX_EXEMPTIONS, type TaxExemption } from '#libs/contexts/customers';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';
import {
  ChoiceField,
  ChosenIdField,
  CurrencyField,
  CustomFieldsField,
  CustomFieldView,
  ElectronicAddressBody,
  ElectronicAddressView,
  EmailField,
  EmailListField,
  IdListField,
  SingleLineField,
  ListView,
  MetadataField,
  ObjectField,
  PageQuery,
  PostalAddressBody,
  PostalAddressView,
  TextField,
  TimezoneField,
  VatIdField,
} from '../http/index.js';

/** The most additional addresses of a customer. Each mail to the customer is sent once to each. */
const MAX_ADDITIONAL_EMAILS = 10;

/** The description of the additional addresses in answers. */
export const ADDITIONAL_EMAILS = {
  description: 'More addresses that get invoices, receipts and reminders, each in a mail of its own.',
  example: ['accounting@northwind.example'],
};

export class CreateCustomerBody {
  @ChosenIdField({
    optional: true,
    description: 'An id that you choose. Default: a generated id such as `cust_…`.',
    example: 'cust_northwind',
  })
  id?: string;

  @SingleLineField({
    max: 200,
    example: 'Northwind Ltd',
    description: 'The name of the customer, which invoices print.',
  })
  name: string;

  @EmailField({ optional: true, nullable: true, description: 'The contact e-mail address.' })
  email?: string | null;

  @EmailField({
    optional: true,
    nullable: true,
    description: 'The e-mail address for invoices, if it is not `email`.',
  })
  billingEmail?: string | null;

  @EmailListField({
    max: MAX_ADDITIONAL_EMAILS,
    optional: true,
    example: ['accounting@northwind.example'],
    description:
      'More addresses that get invoices, receipts and reminders, each in a mail of its own. A change replaces the whole list.',
  })
  additionalEmails?: string[];

  @CurrencyField({
    optional: true,
    description:
      'The default currency for this customer, for example of manual invoices and balance changes. Default USD.',
  })
  currency?: string;

  @TimezoneField({
    optional: true,
    description:
      "The time zone of the customer's invoices, and of the billing periods of new subscriptions without a time zone of their own. " +
      'Existing subscriptions and invoices keep theirs. Default: UTC.',
  })
  timezone?: string;

  @ChoiceField(LANGUAGES, {
    optional: true,
    nullable: true,
    description:
      "The language of the customer's invoices, credit notes and payment pages. Default null: the `language` of the billing settings.",
  })
  language?: Language | null;

  @SingleLineField({ max: 256, optional: true, nullable: true, description: 'An id from another system.' })
  externalId?: string | null;

  @ObjectField(() => PostalAddressBody, {
    optional: true,
    nullable: true,
    description: "The postal address on the customer's invoices. A change replaces the whole address.",
  })
  address?: PostalAddressBody | null;

  @VatIdField({
    optional: true,
    nullable: true,
    description: "The VAT identification number, printed on the customer's invoices.",
  })
  taxId?: string | null;

  @SingleLineField({
    max: 100,
    optional: true,
    nullable: true,
    example: 'PO-2026-0815',
    description: "The number of the purchase order, printed on the customer's invoices.",
  })
  poNumber?: string | null;

  @SingleLineField({
    max: 100,
    optional: true,
    nullable: true,
    example: '04011000-1234512345-06',
    description: 'The reference that the customer needs on e-invoices, such as a Leitweg-ID (BT-10).',
  })
  buyerReference?: string | null;

  @ObjectField(() => ElectronicAddressBody, {
    optional: true,
    nullable: true,
    description:
      "The customer's address in a network for e-invoices, such as Peppol (BT-49). Default: the e-mail address for invoices.",
  })
  electronicAddress?: ElectronicAddressBody | null;

  @ChoiceField(E_INVOICE_PROFILES, {
    optional: true,
    nullable: true,
    description:
      "The specification that the customer's e-invoices keep to: `xrechnung` (XRechnung 3.0), `peppol` (Peppol BIS Billing 3.0), or " +
      '`en16931` alone. Default: `en16931`.',
  })
  eInvoiceProfile?: EInvoiceProfile | null;

  @CustomFieldsField({
    optional: true,
    description:
      "Other fields on the customer's invoices, such as a cost center. A change of the custom fields replaces the whole list.",
  })
  customFields?: CustomFieldView[];

  @IdListField({
    max: MAX_TAXES_PER_INVOICE,
    optional: true,
    nullable: true,
    example: [],
    description:
      "The tax rates on the customer's invoices, for lines whose price or item names none. Default null: the `defaultTaxRateIds` of the " +
      'billing settings.',
  })
  taxRateIds?: string[] | null;

  @TextField({
    max: 200,
    optional: true,
    nullable: true,
    example: null,
    description:
      'The reason for a tax exemption, such as `Reverse charge`. If set, invoices have no tax and print the reason.',
  })
  taxExemptReason?: string | null;

  @ChoiceField(TAX_EXEMPTIONS, {
    optional: true,
    description:
      'The kind of tax exemption, which e-invoices must state: `exempt` (the default), `reverse_charge`, `export`, or ' +
      '`not_subject` to VAT at all. The customer is exempt only with a `taxExemptReason`. All kinds but `exempt` are refused without it.',
  })
  taxExemptType?: TaxExemption;

  @MetadataField({ optional: true, description: 'Key-value pairs that you choose.' })
  metadata?: Record<string, unknown>;
}

/** The fields to change. A field that is left out stays as it is. */
export class UpdateCustomerBody extends PartialType(
  OmitType(CreateCustomerBody, ['id'] as const),
  // By default, a null would skip the checks of a field. With this option, a null is checked like any other value.
  { skipNullProperties: false },
) {}

export class CustomerView {
  @ApiProperty({ example: 'cust_northwind' }) id: string;
  @ApiProperty({ description: 'The name of the customer, which invoices print.', example: 'Northwind Ltd' })
  name: string;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
  @ApiProperty({ type: String, nullable: true }) billingEmail: string | null;
  @ApiProperty({ type: [String], ...ADDITIONAL_EMAILS }) additionalEmails: string[];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 'UTC' }) timezone: string;
  @ApiProperty({
    type: String,
    enum: [...LANGUAGES, null],
    nullable: true,
    description: 'The language of documents. Null: the `language` of the billing settings.',
  })
  language: Language | null;
  @ApiProperty({ type: String, nullable: true }) externalId: string | null;
  @ApiProperty({ type: PostalAddressView, nullable: true }) address: PostalAddressView | null;
  @ApiProperty({ type: String, nullable: true, example: 'DE123456789' }) taxId: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'PO-2026-0815' }) poNumber: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '04011000-1234512345-06',
    description: 'The reference on e-invoices, such as a Leitweg-ID (BT-10).',
  })
  buyerReference: string | null;
  @ApiProperty({
    type: ElectronicAddressView,
    nullable: true,
    description: 'The address in a network for e-invoices. Null: the e-mail address for invoices.',
  })
  electronicAddress: ElectronicAddressView | null;
  @ApiProperty({
    type: String,
    enum: [...E_INVOICE_PROFILES, null],
    nullable: true,
    description: 'The specification of e-invoices. Null: `en16931`.',
  })
  eInvoiceProfile: EInvoiceProfile | null;
  @ApiProperty({ type: [CustomFieldView] }) customFields: CustomFieldView[];
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The ids of the tax rates. Null: the `defaultTaxRateIds` of the billing settings.',
  })
  taxRateIds: string[] | null;
  @ApiProperty({ type: String, nullable: true }) taxExemptReason: string | null;
  @ApiProperty({ enum: TAX_EXEMPTIONS }) taxExemptType: TaxExemption;
  @ApiProperty({ type: 'object', additionalProperties: true }) metadata: Record<string, unknown>;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The payment method that open invoices are charged to. Null if there is none.',
    example: null,
  })
  defaultPaymentMethodId: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

/** A recorded event about a resource, such as a customer, in the export of a customer's data. */
export class HistoryEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11', description: 'The id of the event.' })
  id: string;
  @ApiProperty({ example: 'CustomerUpdated', description: 'The type of the event.' }) event: string;
  @ApiProperty({ format: 'date-time', description: "The time of the event, by the workspace's clock." })
  at: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'Northwind Ltd' },
    description: 'The data of the event. Later versions of the product may record more fields.',
  })
  data: object;
}

export class CustomerListQuery extends PageQuery {
  @EmailField({
    optional: true,
    description: 'Selects customers with this `email`. Upper and lower case are the same.',
  })
  email?: string;

  @SingleLineField({ max: 256, optional: true, description: 'Selects customers with this `externalId`.' })
  externalId?: string;
}

export class CustomerList extends ListView {
  @ApiProperty({ type: [CustomerView] }) data: CustomerView[];
}
