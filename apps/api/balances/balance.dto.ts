import { ApiProperty } from '@nestjs/swagger';
import { OUTSIDE_PAYMENT_METHODS, type OutsidePaymentMethod } from '#libs/contexts/balances';
import {
  BodyExample,
  ChoiceField,
  CurrencyField,
  DecimalField,
  ListView,
  PageQuery,
  TextField,
} from '../http/index.js';

@BodyExample({ amount: 25, reason: 'Goodwill for the outage' })
@BodyExample({ amount: 500, reason: 'Paid in advance', method: 'bank_transfer' })
export class AdjustBalanceBody {
  @DecimalField({
    description:
      'The change of the balance, with at most as many decimals as the currency has. A positive amount is given to the customer, and a ' +
      'negative amount is taken from the customer. The amount cannot be zero. No adjustment takes more than the balance holds.',
    example: 25,
  })
  amount: string;

  @TextField({
    max: 500,
    description: 'The reason, which is stored with the change.',
    example: 'Goodwill for the outage',
  })
  reason: string;

  @CurrencyField({ optional: true, description: "The currency of the balance. Default the customer's." })
  currency?: string;

  @ChoiceField(OUTSIDE_PAYMENT_METHODS, {
    optional: true,
    description:
      'How the customer paid in advance, or how the balance was paid out. With a method, the ledger posts the amount to cash. Without a ' +
      'method, no money was paid, and the ledger posts the amount to credit adjustments.',
  })
  method?: OutsidePaymentMethod;
}

export class BalanceTransactionQuery extends PageQuery {
  @CurrencyField({ optional: true, description: 'Selects the changes of balances in this currency.' })
  currency?: string;
}

export class BalanceView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    example: 30,
    description:
      'The amount that is owed to the customer. The balance pays the next invoices of the customer in this currency. Below zero, it is what ' +
      'the customer owes of invoices that were carried to the next one.',
  })
  balance: number;
}

export class BalanceList extends ListView {
  @ApiProperty({ type: [BalanceView] }) data: BalanceView[];
}

export class BalanceTransactionView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({
    enum: ['credited', 'applied', 'returned', 'debited', 'adjusted'],
    description:
      '`credited`: an invoice gave back more than it charged (also if the refund of the difference was refused or failed), a credit ' +
      'note was issued, or a payment exceeded the amount due. `applied`: an invoice used the amount. `returned`: an invoice that had ' +
      'used the amount was voided or used less, or its payment was reversed. `debited`: a credit note that had added the amount was ' +
      'voided, or a payment that had exceeded the amount due was reversed. `adjusted`: a user gave or took the amount.',
  })
  type: 'credited' | 'applied' | 'returned' | 'debited' | 'adjusted';
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    example: -20,
    description: 'The change of the balance. The change is below zero if the balance became smaller.',
  })
  amount: number;
  @ApiProperty({ example: 10, description: 'The balance after the change.' }) balance: number;
  @ApiProperty({ type: String, nullable: true }) invoiceId: string | null;
  @ApiProperty({ type: String, nullable: true }) creditNoteId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The recorded payment that was taken from the balance, or that exceeded the amount due of its invoice.',
  })
  paymentId: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

/** A change of a balance in the export of a customer's data. */
export class ExportedBalanceTransactionView extends BalanceTransactionView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Goodwill for the outage',
    description: 'The reason that a user gave for the change. Null if none was given.',
  })
  reason: string | null;
}

export class BalanceTransactionList extends ListView {
  @ApiProperty({ type: [BalanceTransactionView] }) data: BalanceTransactionView[];
}
