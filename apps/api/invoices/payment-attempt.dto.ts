import { ApiProperty } from '@nestjs/swagger';
import { ListView } from '../http/index.js';

export class PaymentAttemptView {
  @ApiProperty({ example: 'pay_01HZX3…' }) id: string;
  @ApiProperty({ type: 'integer', description: 'The number of the attempt, from 1.', example: 1 })
  attempt: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of the planned retry, from 1. Null if the attempt was not a planned retry.',
    example: null,
  })
  retry: number | null;
  @ApiProperty({ enum: ['pending', 'succeeded', 'failed', 'requires_action'] }) status:
    'pending' | 'succeeded' | 'failed' | 'requires_action';
  @ApiProperty() amount: number;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty() paymentMethodId: string;
  @ApiProperty({
    example: 'Visa ending 4242',
    description: 'A description of the charged payment method, for display.',
  })
  paymentMethod: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'card_declined',
    description:
      'The reason for the failure, as a code for programs. `authentication_required` for the status `requires_action`, `invoice_voided` if the ' +
      'invoice was voided before the customer confirmed the payment. Null if the ' +
      'attempt is pending or succeeded.',
  })
  failureCode: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The reason for the failure, or what the customer must do, as a text for people. Null if the attempt is pending or succeeded.',
  })
  failureMessage: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the attempt succeeded or failed. Null until then.',
  })
  finishedAt: string | null;
}

/** A payment attempt in the export of a customer's data. */
export class ExportedPaymentAttemptView extends PaymentAttemptView {
  @ApiProperty() invoiceId: string;
}

export class PaymentAttemptList extends ListView {
  @ApiProperty({ type: [PaymentAttemptView] }) data: PaymentAttemptView[];
}
