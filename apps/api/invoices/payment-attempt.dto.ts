import { ApiProperty } from '@nestjs/swagger';
import { ListView } from '../http/index.js';

export class PaymentAttemptView {
  @ApiProperty({ example: 'pay_01HZX3…' }) id: string;
  @ApiProperty({ type: 'integer', description: 'From 1.', example: 1 }) attempt: number;
  @ApiProperty({ enum: ['pending', 'succeeded', 'failed', 'requires_action'] }) status: string;
  @ApiProperty() amount: number;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty() paymentMethodId: string;
  @ApiProperty({ example: 'Visa ending 4242', description: 'What was charged, for people.' })
  paymentMethod: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'card_declined',
    description: 'Why it failed, for programs; null if it did not.',
  })
  failureCode: string | null;
  @ApiProperty({ type: String, nullable: true }) failureMessage: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt: string | null;
}

export class PaymentAttemptList extends ListView {
  @ApiProperty({ type: [PaymentAttemptView] }) data: PaymentAttemptView[];
}
