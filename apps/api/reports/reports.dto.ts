import { ApiProperty } from '@nestjs/swagger';
import { TAX_EXEMPTIONS } from '#libs/contexts/customers';
import { RECEIVABLE_AGES } from '#libs/contexts/invoicing';
import {
  CountryField,
  CsvPageQuery,
  CsvQuery,
  CurrencyField,
  FormerName,
  IdField,
  InstantField,
  ListView,
  MonthField,
} from '../http/index.js';

export class AgeingQuery extends CsvPageQuery {
  @InstantField({
    query: true,
    optional: true,
    dates: true,
    example: '2026-01-31',
    description:
      "The last moment that the amounts include; by default the workspace's present time. If the value is a date without a time, the " +
      'amounts include all bookings with that date or an earlier date, and ages are whole days from the due date to that date.',
  })
  at?: string;

  @IdField({ optional: true, example: 'cust_northwind', description: 'Selects a customer. Default: all.' })
  customerId?: string;

  @CurrencyField({ optional: true, description: 'Selects a currency. Default: all.' })
  currency?: string;
}

export class TaxReportQuery extends CsvQuery {
  @MonthField({
    optional: true,
    description: 'The first month. Default: the month of `until`. A report has at most 60 months.',
  })
  @FormerName('from')
  since?: string;

  @MonthField({ optional: true, description: 'The last month. Default: the present month in UTC.' })
  @FormerName('to')
  until?: string;

  @CurrencyField({ optional: true, description: 'Selects a currency. Default: all.' })
  currency?: string;

  @CountryField({
    optional: true,
    description: "Selects the country of the customers' addresses. Default: all.",
  })
  country?: string;
}

class AgesView {
  @ApiProperty({ example: 100, description: 'What is not due yet.' }) current: number;
  @ApiProperty({ example: 50, description: 'What has been due for 1 to 30 days.' }) days1To30: number;
  @ApiProperty({ example: 0, description: 'What has been due for 31 to 60 days.' }) days31To60: number;
  @ApiProperty({ example: 0, description: 'What has been due for 61 to 90 days.' }) days61To90: number;
  @ApiProperty({ example: 0, description: 'What has been due for more than 90 days.' }) over90: number;
}

export class ReceivablesTotalView {
  @ApiProperty({ example: 'USD', description: 'The currency of the amounts.' }) currency: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'The number of invoices.' }) invoices: number;
  @ApiProperty({ type: AgesView, description: 'The amounts by age.' }) ages: AgesView;
  @ApiProperty({ example: 150, description: 'The sum of the amounts of all ages.' }) total: number;
}

export class CustomerReceivableView extends ReceivablesTotalView {
  @ApiProperty({ example: 'cust_northwind', description: 'The customer.' }) customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Northwind Ltd',
    description: 'The name of the customer. Null if the customer was deleted.',
  })
  customerName: string | null;
}

export class InvoiceReceivableView {
  @ApiProperty({ example: 'cust_northwind', description: 'The customer.' }) customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Northwind Ltd',
    description: 'The name of the customer. Null if the customer was deleted.',
  })
  customerName: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA',
    description: 'The invoice. Null for an amount without an invoice.',
  })
  invoiceId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice.',
  })
  invoiceNumber: string | null;
  @ApiProperty({ example: 'USD', description: 'The currency of the amount.' }) currency: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the invoice is due. Null for an amount without an invoice.',
  })
  dueDate: string | null;
  @ApiProperty({
    type: 'integer',
    example: 12,
    description: 'The number of days since the due date. A begun day counts in full.',
  })
  daysOverdue: number;
  @ApiProperty({ enum: RECEIVABLE_AGES, example: 'days1To30', description: 'The age of the amount.' })
  age: (typeof RECEIVABLE_AGES)[number];
  @ApiProperty({ example: 50, description: 'The amount that is owed.' }) amount: number;
}

class AgeingView extends ListView {
  @ApiProperty({ example: '2026-01-31', description: 'The moment or the date of the amounts.' }) at: string;
  @ApiProperty({
    type: [ReceivablesTotalView],
    description: 'What all customers owe together, by currency, on all pages of the list.',
  })
  totals: ReceivablesTotalView[];
}

export class CustomerAgeingView extends AgeingView {
  @ApiProperty({ type: [CustomerReceivableView], description: 'A row for each customer and currency.' })
  data: CustomerReceivableView[];
}

export class InvoiceAgeingView extends AgeingView {
  @ApiProperty({ type: [InvoiceReceivableView], description: 'A row for each invoice with an amount.' })
  data: InvoiceReceivableView[];
}

export class TaxTotalView {
  @ApiProperty({ example: '2026-01', description: 'The month of the documents.' }) month: string;
  @ApiProperty({ example: 'EUR', description: 'The currency of the amounts.' }) currency: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'DE',
    description:
      "The country of the customer's address on the invoice. Null without an address, and for a customer whose personal data was erased.",
  })
  country: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'txr_01JD0000000000000000000000',
    description: 'The tax rate. Null for amounts without a tax.',
  })
  taxRateId: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'VAT', description: 'The name of the tax rate.' })
  name: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 19,
    description: 'The percentage of the tax rate. Null for amounts without a tax.',
  })
  percentage: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...TAX_EXEMPTIONS, null],
    example: null,
    description: "The kind of the customer's exemption, for amounts without a tax. Null if there is none.",
  })
  exemption: (typeof TAX_EXEMPTIONS)[number] | null;
  @ApiProperty({
    type: 'integer',
    example: 12,
    description:
      'The number of documents: invoices, credit notes, voids of both, and prepaid credits that were taken back.',
  })
  documents: number;
  @ApiProperty({
    example: 1000,
    description: 'The amounts without taxes. An amount with two taxes is in the row of each of them.',
  })
  net: number;
  @ApiProperty({ example: 190, description: 'The taxes.' }) tax: number;
}

export class TaxReportView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({
    type: [TaxTotalView],
    description: 'A row for each month, currency, country and tax rate with documents.',
  })
  data: TaxTotalView[];
}
