import { ApiProperty } from '@nestjs/swagger';
import { CurrencyField, ListView, PageQuery } from '../http/index.js';

export class BalanceTransactionQuery extends PageQuery {
  @CurrencyField({ optional: true, description: 'Selects balances in this currency.' })
  currency?: string;
}

export class BalanceView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    example: 30,
    description: 'The amount that is owed to the customer and used on its next invoices.',
  })
  balance: number;
}

export class BalanceList extends ListView {
  @ApiProperty({ type: [BalanceView] }) data: BalanceView[];
}

export class BalanceTransactionView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({
    enum: ['credited', 'applied', 'returned', 'debited'],
    description:
      '`credited`: an invoice gave back more than it charged, or a credit note was issued. `applied`: an invoice used the amount. ' +
      '`returned`: an invoice that had used the amount was voided or used less. `debited`: a credit note that had added the amount was voided.',
  })
  type: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    example: -20,
    description: 'The change of the balance. Below zero for `applied` and `debited`.',
  })
  amount: number;
  @ApiProperty({ example: 10, description: 'The balance after the change.' }) balance: number;
  @ApiProperty({ type: String, nullable: true }) invoiceId: string | null;
  @ApiProperty({ type: String, nullable: true }) creditNoteId: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class BalanceTransactionList extends ListView {
  @ApiProperty({ type: [BalanceTransactionView] }) data: BalanceTransactionView[];
}
