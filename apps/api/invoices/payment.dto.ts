import { ApiProperty } from '@nestjs/swagger';
import { RECORDED_PAYMENT_METHODS } from '#libs/contexts/invoicing';
import { PAYMENT_STATUSES, type PaymentStatus } from '#projections/payments';
import { ChoiceField, CsvPageQuery, IdField, ListView, SinceField, UntilField } from '../http/index.js';

/** The methods of payments: a charge through the gateway, or the method of a recorded payment. */
const PAYMENT_METHODS = ['gateway', ...RECORDED_PAYMENT_METHODS] as const;

export class PaymentListQuery extends CsvPageQuery {
  @IdField({ optional: true, example: 'cust_northwind', description: 'Selects payments of this customer.' })
  customerId?: string;

  @IdField({
    optional: true,
    example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA',
    description: 'Selects payments of this invoice.',
  })
  invoiceId?: string;

  @ChoiceField(PAYMENT_STATUSES, { optional: true, description: 'Selects payments with this status.' })
  status?: PaymentStatus;

  @ChoiceField(PAYMENT_METHODS, {
    optional: true,
    description: 'Selects payments by this method. `gateway` selects charges of cards through the gateway.',
  })
  method?: (typeof PAYMENT_METHODS)[number];

  @SinceField({ formerly: 'from', description: 'Selects payments that were created at this time or later.' })
  since?: string;

  @UntilField({ formerly: 'to', description: 'Selects payments that were created at this time or earlier.' })
  until?: string;
}

export class PaymentView {
  @ApiProperty({
    example: 'pay_01JD0000000000000000000000',
    description: 'The id of the payment attempt, or of the recorded payment.',
  })
  id: string;
  @ApiProperty({ example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA', description: 'The invoice that is paid.' })
  invoiceId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice.',
  })
  invoiceNumber: string | null;
  @ApiProperty({ example: 'cust_northwind', description: 'The customer of the invoice.' }) customerId: string;
  @ApiProperty({
    enum: PAYMENT_METHODS,
    description: '`gateway` for a charge of a card through the gateway, or the method of a recorded payment.',
  })
  method: (typeof PAYMENT_METHODS)[number];
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Visa ending 4242',
    description: 'The charged card. Null for a recorded payment.',
  })
  paymentMethod: string | null;
  @ApiProperty({
    enum: PAYMENT_STATUSES,
    description:
      '`requires_action`: the customer must confirm the charge. `failed`: the charge was declined. `reversed`: a recorded payment that no ' +
      'longer pays the invoice.',
  })
  status: (typeof PAYMENT_STATUSES)[number];
  @ApiProperty({ example: 'USD', description: 'The currency of the amounts.' }) currency: string;
  @ApiProperty({
    example: 23.75,
    description: 'The amount that was charged, received or taken from the balance.',
  })
  amount: number;
  @ApiProperty({
    example: 0,
    description:
      "The part of a recorded payment above the amount due, which was added to the customer's balance.",
  })
  balanceCredited: number;
  @ApiProperty({
    format: 'date-time',
    description: 'When the charge was started or the payment was recorded.',
  })
  createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the customer paid. Null if the payment has not succeeded.',
  })
  paidAt: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason why a charge did not succeed, as a code for programs.',
  })
  failureCode: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason why a charge did not succeed, as a text for people.',
  })
  failureMessage: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'E2E-4711',
    description: 'Your note on a recorded payment.',
  })
  reference: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a recorded payment was reversed. Null if it was not.',
  })
  reversedAt: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason of the reversal.',
  })
  reversalReason: string | null;
}

export class PaymentList extends ListView {
  @ApiProperty({ type: [PaymentView], description: 'The payments, newest first.' }) data: PaymentView[];
}
