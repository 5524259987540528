import { ApiProperty } from '@nestjs/swagger';
import { ACCOUNT_CODES, type AccountCode } from '#libs/contexts/ledger';
import {
  ChoiceField,
  IdField,
  InstantField,
  ListView,
  PageQuery,
  SinceField,
  UntilField,
} from '../http/index.js';

export class TrialBalanceQuery {
  @InstantField({
    query: true,
    optional: true,
    dates: true,
    example: '2026-01-31',
    description:
      "The last moment that the balances include; by default the workspace's present time. If the value is a date without a time, the " +
      'balances include all bookings whose field `date` is that date or an earlier date. The date of a booking is in the time zone of ' +
      "the billing settings. If the settings have none, and for an adjustment of a balance, it is in the customer's time zone.",
  })
  at?: string;
}

export class LedgerEntriesQuery extends PageQuery {
  @ChoiceField(ACCOUNT_CODES, { optional: true, description: 'Selects entries on this account.' })
  account?: AccountCode;

  @IdField({ optional: true, example: 'cust_northwind', description: 'Selects entries about this customer.' })
  customerId?: string;

  @IdField({
    optional: true,
    example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA',
    description: 'Selects entries about this invoice, by its id or its printed number.',
  })
  invoiceId?: string;

  @SinceField({
    dates: true,
    formerly: 'from',
    description:
      'The first moment of the time range. If the value is a date without a time, bookings are selected whose field `date` is that date ' +
      'or a later date.',
  })
  since?: string;

  @UntilField({
    dates: true,
    formerly: 'to',
    description:
      'The last moment of the time range. If the value is a date without a time, bookings are selected whose field `date` is that date ' +
      'or an earlier date. `since=2026-01-01&until=2026-01-31` selects the bookings of January.',
  })
  until?: string;
}

class AccountView {
  @ApiProperty({ enum: ACCOUNT_CODES, example: 'revenue', description: 'The account.' }) account: AccountCode;
  @ApiProperty({ example: '4000', description: "The account's number in the chart of accounts." })
  number: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the price, for revenue, deferred revenue and unbilled receivables. Null for other accounts, and for an amount that ' +
      'belongs to no price, such as a `manual` line.',
  })
  priceId: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'API calls', description: 'The name of the price.' })
  priceName: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The id of the tax rate, for tax payable.' })
  taxRateId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'VAT 19%',
    description: 'The name and percentage of the tax rate.',
  })
  taxRateName: string | null;
}

class TrialBalanceLineView extends AccountView {
  @ApiProperty({ example: 'Revenue' }) name: string;
  @ApiProperty({ enum: ['asset', 'liability', 'income', 'expense'] }) type:
    'asset' | 'liability' | 'income' | 'expense';
  @ApiProperty({ description: 'The balance of the account, if it is a debit balance.', example: 0 })
  debit: number;
  @ApiProperty({ description: 'The balance of the account, if it is a credit balance.', example: 23.75 })
  credit: number;
}

class CurrencyBalancesView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    type: [TrialBalanceLineView],
    description:
      'All accounts, also those with the balance zero. An account that is divided has one entry for each price or tax rate with postings.',
  })
  accounts: TrialBalanceLineView[];
  @ApiProperty({ description: 'The sum of the debits.', example: 23.75 }) debit: number;
  @ApiProperty({
    description: 'The sum of the credits, which is equal to the sum of the debits.',
    example: 23.75,
  })
  credit: number;
}

export class TrialBalanceView {
  @ApiProperty({
    description: 'The moment of the balances, or their date if the request has a date.',
    example: '2026-01-31',
  })
  at: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The position in the event log up to which the ledger is complete. Null if the ledger has no events yet.',
    example: '1234',
  })
  position: string | null;
  @ApiProperty({ type: [CurrencyBalancesView], description: 'The balances, by currency.' })
  currencies: CurrencyBalancesView[];
}

class EntryEventView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({ example: 'InvoiceOpened' }) type: string;
  @ApiProperty({ example: 'invoice-acc_1.inv_1', description: 'The stream of the event.' })
  stream: string;
  @ApiProperty({ description: 'The position of the event in the log.', example: '1234' }) position: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the event.' }) occurredAt: string;
}

class LedgerEntryView extends AccountView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11/0' }) id: string;
  @ApiProperty({
    description: 'The id of the transaction. The entries of a transaction sum to zero.',
    example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11',
  })
  transactionId: string;
  @ApiProperty({
    format: 'date-time',
    description: "The time at which the entry takes effect, by the workspace's clock.",
  })
  at: string;
  @ApiProperty({
    format: 'date',
    example: '2026-01-31',
    description:
      'The booking date: the date of `at`. The date is in the time zone that the billing settings had when the invoice was created. If ' +
      "the settings had none, and for an adjustment of a balance, it is in the customer's time zone.",
  })
  date: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 0, description: 'The debit of this entry.' }) debit: number;
  @ApiProperty({ example: 23.75, description: 'The credit of this entry.' }) credit: number;
  @ApiProperty({ example: 'Invoice INV-000042' }) description: string;
  @ApiProperty() customerId: string;
  @ApiProperty({ type: String, nullable: true }) invoiceId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice.',
  })
  invoiceNumber: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the credit note on the invoice, if the entry is about a credit note.',
  })
  creditNoteId: string | null;
  @ApiProperty({ type: EntryEventView, description: 'The event that caused the entry.' })
  event: EntryEventView;
}

export class LedgerEntryList extends ListView {
  @ApiProperty({ type: [LedgerEntryView] }) data: LedgerEntryView[];
}
