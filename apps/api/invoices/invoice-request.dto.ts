import { ITEM_LIMITS } from '#libs/contexts/billing';
import { INVOICE_STATUSES, type InvoiceStatus } from '#libs/contexts/invoicing';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';
import {
  AfterField,
  BodyExample,
  BooleanField,
  ChoiceField,
  CurrencyField,
  CustomFieldsField,
  CustomFieldView,
  decimalSchema,
  IdField,
  IdListField,
  IntegerField,
  RuleField,
  SinceField,
  SingleLineField,
  TextField,
  UntilField,
} from '../http/index.js';

const MAX_PAGE_SIZE = 100;

/** The query of the invoice list. The list is paged by `page` and `page_size`, or like other lists by `limit` with `offset` or `after`. */
export class InvoiceListQuery {
  @ChoiceField(INVOICE_STATUSES, { optional: true, description: 'Selects invoices with this status.' })
  status?: InvoiceStatus;

  @IdField({ optional: true, description: 'Selects invoices of this customer.' })
  customer_id?: string;

  @IdField({
    optional: true,
    description: 'Selects invoices that bill this subscription, alone or together with other subscriptions.',
  })
  subscription_id?: string;

  @SingleLineField({
    max: 64,
    optional: true,
    example: 'INV-000042',
    description: 'Selects the invoice with this printed number.',
  })
  number?: string;

  @SinceField({
    formerly: 'issued_from',
    description: 'Selects invoices that were issued at this time or later.',
  })
  since?: string;

  @UntilField({
    formerly: 'issued_before',
    description: 'Selects invoices that were issued at this time or earlier.',
  })
  until?: string;

  @IntegerField({
    min: 1,
    max: 1_000_000,
    query: true,
    optional: true,
    description: 'The number of the page. Default 1.',
  })
  page?: number;

  @IntegerField({
    min: 1,
    max: MAX_PAGE_SIZE,
    query: true,
    optional: true,
    description: 'The largest number of entries on a page. Default 20.',
  })
  page_size?: number;

  @IntegerField({
    min: 1,
    max: MAX_PAGE_SIZE,
    query: true,
    optional: true,
    description: 'The largest number of entries in the response, in place of `page_size`. Default 20.',
  })
  limit?: number;

  @IntegerField({
    min: 0,
    max: 100_000_000,
    query: true,
    optional: true,
    description: 'The number of entries to skip, in place of `page`.',
  })
  offset?: number;

  @AfterField()
  after?: string;
}

@BodyExample({
  customerId: 'northwind',
  lines: [{ description: 'Setup', quantity: 1, unitPrice: 250 }],
})
export class CreateInvoiceBody {
  @IdField({ example: 'cust_northwind' })
  customerId: string;

  @CurrencyField({
    optional: true,
    description: 'The currency of the invoice. Default: the currency of the customer.',
  })
  currency?: string;

  @RuleField(
    'isLineList',
    {
      type: 'array',
      minItems: 1,
      maxItems: ITEM_LIMITS.items,
      items: {
        type: 'object',
        required: ['description', 'unitPrice'],
        properties: {
          description: {
            type: 'string',
            minLength: 1,
            maxLength: ITEM_LIMITS.textLength,
            description: 'The text that the invoice prints.',
            example: 'Setup',
          },
          quantity: {
            ...decimalSchema({ min: 0, below: ITEM_LIMITS.numberBelow }),
            default: 1,
            description: 'The number of units.',
            example: 1,
          },
          unitPrice: {
            ...decimalSchema({ above: -ITEM_LIMITS.numberBelow, below: ITEM_LIMITS.numberBelow }),
            description: 'The price of a unit. Below zero for a deduction.',
            example: 250,
          },
          periodStart: {
            type: 'string',
            format: 'date-time',
            description:
              'The first moment of the period that the line is for. Give both `periodStart` and `periodEnd`, or neither.',
            example: '2026-01-01T00:00:00Z',
          },
          periodEnd: {
            type: 'string',
            format: 'date-time',
            description: 'The first moment after the period that the line is for.',
            example: '2026-02-01T00:00:00Z',
          },
          taxRateIds: {
            type: 'array',
            items: { type: 'string' },
            maxItems: MAX_TAXES_PER_INVOICE,
            description:
              'The tax rates on the line; empty if the line is not taxed. Default: the tax rates of the customer, or else the ' +
              '`defaultTaxRateIds` of the billing settings. A tax-exempt customer pays no tax.',
            example: [],
          },
        },
      },
    },
    Array.isArray,
    {
      message: 'must be a list of {"description": "…", "quantity": 1, "unitPrice": 100}',
      description:
        'The lines of the invoice. The revenue of a line with a period is earned over the period. The revenue of a line without a ' +
        'period is earned at once. The sum of the lines less their coupons must not be below zero; use a credit note to give money back.',
      example: [{ description: 'Setup', quantity: 1, unitPrice: 250 }],
    },
  )
  lines: unknown;

  @IdListField({
    max: 10,
    optional: true,
    example: [],
    description:
      'The coupons to use on the invoice. The coupons must apply to whole invoices, and discount only the lines with positive amounts. A ' +
      'coupon that the customer does not have yet is first applied to the customer.',
  })
  coupons?: string[];

  @IntegerField({
    min: 0,
    max: 365,
    optional: true,
    description:
      'The number of days from the opening of the invoice to its due date. Default: the `netDays` of the billing settings.',
    example: 14,
  })
  netDays?: number;

  @SingleLineField({
    max: 100,
    optional: true,
    example: 'PO-2026-0815',
    description:
      "The number of the purchase order, printed on the invoice. Default: the customer's `poNumber`.",
  })
  poNumber?: string;

  @CustomFieldsField({
    optional: true,
    description: 'Other fields to print on the invoice. Default: the custom fields of the customer.',
  })
  customFields?: CustomFieldView[];

  @TextField({
    max: 600,
    optional: true,
    description: 'A text that is printed on the invoice.',
    example: 'Thank you',
  })
  memo?: string;

  @BooleanField({
    optional: true,
    description:
      'Whether the invoice stays a draft until it is approved or paid. Default false: the billing settings decide whether the invoice ' +
      'opens automatically.',
    example: true,
  })
  draft?: boolean;
}

export class VoidInvoiceBody {
  @TextField({
    max: 500,
    optional: true,
    nullable: true,
    description: 'The reason for the void, which is stored with the invoice.',
  })
  reason?: string | null;
}
