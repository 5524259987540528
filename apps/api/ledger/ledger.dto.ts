import { ApiProperty } from '@nestjs/swagger';
import { ACCOUNT_CODES, type AccountCode } from '#libs/contexts/ledger';
import { ChoiceField, IdField, InstantField, ListView, PageQuery } from '../http/index.js';

export class TrialBalanceQuery {
  @InstantField({
    query: true,
    optional: true,
    dates: true,
    example: '2026-01-31',
    description:
      "The last moment that counts; by default the workspace's present time. A date alone counts all bookings of that date and before: " +
      'they are dated by the time zone of the billing settings, or else of the customer.',
  })
  at?: string;
}

export class LedgerEntriesQuery extends PageQuery {
  @ChoiceField(ACCOUNT_CODES, { optional: true, description: 'Only entries on this account.' })
  account?: AccountCode;

  @IdField({ optional: true, example: 'cust_northwind', description: 'Only entries about this customer.' })
  customer_id?: string;

  @IdField({
    optional: true,
    example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA',
    description: "An invoice's id, or the number that is printed on it.",
  })
  invoice_id?: string;

  @InstantField({
    query: true,
    optional: true,
    dates: true,
    description: 'The first moment that counts. A date alone is the first `date` of bookings that counts.',
  })
  from?: string;

  @InstantField({
    query: true,
    optional: true,
    dates: true,
    after: 'from',
    description:
      'The first moment that does not count any more; or a date alone, of bookings likewise: `from=2026-01-01&to=2026-02-01` is January.',
    example: '2026-02-28T00:00:00Z',
  })
  to?: string;
}

class AccountView {
  @ApiProperty({ enum: ACCOUNT_CODES, example: 'revenue', description: 'The account.' }) account: AccountCode;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of revenue, deferred or not: the price that made it.',
  })
  priceId: string | null;
}

class TrialBalanceLineView extends AccountView {
  @ApiProperty({ example: 'Revenue' }) name: string;
  @ApiProperty({ enum: ['asset', 'liability', 'income', 'expense'] }) type: string;
  @ApiProperty({ description: 'The balance, if it is on this side.', example: 0 }) debit: number;
  @ApiProperty({ description: 'The balance, if it is on this side.', example: 23.75 }) credit: number;
}

class CurrencyBalancesView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: [TrialBalanceLineView], description: 'The accounts that have a balance.' })
  accounts: TrialBalanceLineView[];
  @ApiProperty({ description: 'Sum of the column.', example: 23.75 }) debit: number;
  @ApiProperty({ description: 'Sum of the column: equal to that of the debits.', example: 23.75 })
  credit: number;
}

export class TrialBalanceView {
  @ApiProperty({
    description: 'The last moment that counts, or the date if one was asked for.',
    example: '2026-01-31',
  })
  at: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'How far the ledger had come in the event log; null before its first event.',
    example: '1234',
  })
  position: string | null;
  @ApiProperty({ type: [CurrencyBalancesView], description: 'The balances, by currency.' })
  currencies: CurrencyBalancesView[];
}

class EntryEventView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({ example: 'InvoiceOpened' }) type: string;
  @ApiProperty({ example: 'invoice-acc_1.inv_1', description: 'The stream that it stands in.' })
  stream: string;
  @ApiProperty({ description: 'Its place in the event log.', example: '1234' }) position: string;
  @ApiProperty({ format: 'date-time', description: 'When it happened.' }) occurredAt: string;
}

class LedgerEntryView extends AccountView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11.0' }) id: string;
  @ApiProperty({
    description: 'Entries of one transaction sum to zero.',
    example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11',
  })
  transactionId: string;
  @ApiProperty({ format: 'date-time', description: "When it took effect, by the workspace's clock." })
  at: string;
  @ApiProperty({
    format: 'date',
    example: '2026-01-31',
    description:
      'The day of the books: of `at`, by the time zone of the billing settings when the invoice was created, or else of the customer.',
  })
  date: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 0, description: 'What is booked on this side.' }) debit: number;
  @ApiProperty({ example: 23.75, description: 'What is booked on this side.' }) credit: number;
  @ApiProperty({ example: 'Invoice INV-000042' }) description: string;
  @ApiProperty() customerId: string;
  @ApiProperty({ type: String, nullable: true }) invoiceId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The credit note on the invoice that it is about.',
  })
  creditNoteId: string | null;
  @ApiProperty({ type: EntryEventView, description: 'What it was posted for.' }) event: EntryEventView;
}

export class LedgerEntryList extends ListView {
  @ApiProperty({ type: [LedgerEntryView] }) data: LedgerEntryView[];
}
