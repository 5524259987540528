import { PartialType, OmitType } from '@nestjs/swagger';
import { ApiProperty } from '@nestjs/swagger';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import { TAX_EXEMPTIONS, type TaxExemption } from '#libs/contexts/customers';
import { MAX_TAX_RATES } from '#libs/contexts/taxes';
import {
  ChoiceField,
  ChosenIdField,
  CurrencyField,
  CustomFieldsField,
  CustomFieldView,
  EmailField,
  IdListField,
  LineField,
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

export class CreateCustomerBody {
  @ChosenIdField({
    optional: true,
    description: 'Your own id; generated as `cust_…` if left out.',
    example: 'cust_northwind',
  })
  id?: string;

  @LineField({ max: 200, example: 'Northwind Ltd', description: 'Its name, as invoices print it.' })
  name: string;

  @EmailField({ optional: true, nullable: true, description: 'Contact e-mail.' })
  email?: string | null;

  @EmailField({ optional: true, nullable: true, description: 'Where invoices go, if not to `email`.' })
  billingEmail?: string | null;

  @CurrencyField({ optional: true, description: 'Default USD.' })
  currency?: string;

  @TimezoneField({ optional: true, description: 'Whose local calendar cuts the periods. Default: UTC.' })
  timezone?: string;

  @ChoiceField(LANGUAGES, {
    optional: true,
    nullable: true,
    description:
      'What its invoices and credit notes, and the pages to pay them, are written in. Default null: the `language` of the billing settings.',
  })
  language?: Language | null;

  @LineField({ max: 256, optional: true, nullable: true, description: 'An id from another system.' })
  externalId?: string | null;

  @ObjectField(() => PostalAddressBody, {
    optional: true,
    nullable: true,
    description: 'Printed on its invoices. A change replaces the whole of it.',
  })
  address?: PostalAddressBody | null;

  @VatIdField({
    optional: true,
    nullable: true,
    description: 'Its VAT identification number, printed on its invoices.',
  })
  taxId?: string | null;

  @LineField({
    max: 100,
    optional: true,
    nullable: true,
    example: 'PO-2026-0815',
    description: 'The number of its purchase order, printed on its invoices.',
  })
  poNumber?: string | null;

  @CustomFieldsField({
    optional: true,
    description: 'What else its invoices print, such as a cost center. A change replaces all of it.',
  })
  customFields?: CustomFieldView[];

  @IdListField({
    max: MAX_TAX_RATES,
    optional: true,
    nullable: true,
    example: [],
    description: 'Tax rates on its invoices. Default null: the `defaultTaxRateIds` of the billing settings.',
  })
  taxRateIds?: string[] | null;

  @TextField({
    max: 200,
    optional: true,
    nullable: true,
    example: null,
    description:
      'Why it pays no tax, such as `Reverse charge`; printed on its invoices, which then have none.',
  })
  taxExemptReason?: string | null;

  @ChoiceField(TAX_EXEMPTIONS, {
    optional: true,
    description:
      'What kind of exemption `taxExemptReason` is, as e-invoices have to say it: `exempt` (the default), `reverse_charge`, `export`, or ' +
      '`not_subject` to VAT at all.',
  })
  taxExemptType?: TaxExemption;

  @MetadataField({ optional: true, description: 'Free key-value pairs.' })
  metadata?: Record<string, unknown>;
}

/** Only the fields to change. */
export class UpdateCustomerBody extends PartialType(
  OmitType(CreateCustomerBody, ['id'] as const),
  // Null must be looked at by the field's own rules, not let through.
  { skipNullProperties: false },
) {}

export class CustomerView {
  @ApiProperty({ example: 'cust_northwind' }) id: string;
  @ApiProperty({ description: 'Its name, as invoices print it.', example: 'Northwind Ltd' }) name: string;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
  @ApiProperty({ type: String, nullable: true }) billingEmail: string | null;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 'UTC' }) timezone: string;
  @ApiProperty({ type: String, enum: [...LANGUAGES, null], nullable: true }) language: Language | null;
  @ApiProperty({ type: String, nullable: true }) externalId: string | null;
  @ApiProperty({ type: PostalAddressView, nullable: true }) address: PostalAddressView | null;
  @ApiProperty({ type: String, nullable: true, example: 'DE123456789' }) taxId: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'PO-2026-0815' }) poNumber: string | null;
  @ApiProperty({ type: [CustomFieldView] }) customFields: CustomFieldView[];
  @ApiProperty({ type: [String], nullable: true }) taxRateIds: string[] | null;
  @ApiProperty({ type: String, nullable: true }) taxExemptReason: string | null;
  @ApiProperty({ enum: TAX_EXEMPTIONS }) taxExemptType: TaxExemption;
  @ApiProperty({ type: 'object', additionalProperties: true }) metadata: Record<string, unknown>;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What open invoices are charged to; null for none.',
    example: null,
  })
  defaultPaymentMethodId: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class CustomerListQuery extends PageQuery {
  @EmailField({ optional: true, description: 'Only those with this `email`, in whatever capitals.' })
  email?: string;

  @LineField({ max: 256, optional: true, description: 'Only those with this `externalId`.' })
  externalId?: string;
}

export class CustomerList extends ListView {
  @ApiProperty({ type: [CustomerView] }) data: CustomerView[];
}
