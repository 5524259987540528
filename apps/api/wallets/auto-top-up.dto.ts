import { ApiProperty } from '@nestjs/swagger';
import { BodyExample, BooleanField, DecimalField, IntegerField } from '../http/index.js';

@BodyExample({ threshold: 100, credits: 1_000, maxPerMonth: 3 })
export class AutoTopUpBody {
  @DecimalField({
    min: 0,
    max: 1e15,
    example: 100,
    description: 'Credits are bought when the balance is at or below this number.',
  })
  threshold: string;

  @DecimalField({
    above: 0,
    max: 1e15,
    example: 1_000,
    description: 'The number of credits that are bought each time.',
  })
  credits: string;

  @DecimalField({
    above: 0,
    max: 1e9,
    optional: true,
    nullable: true,
    example: 0.01,
    description:
      'The price of one credit. If null (at first), each top-up uses the price that the credit type has at that time.',
  })
  unitPrice?: string | null;

  @IntegerField({
    min: 1,
    max: 1_000,
    optional: true,
    example: 3,
    description: 'The maximum number of top-ups in a calendar month (UTC). At first 5.',
  })
  maxPerMonth?: number;

  @BooleanField({
    optional: true,
    description:
      'If false, no credits are bought. `threshold` then only decides when `credit.balance_low` is sent. At first true.',
  })
  enabled?: boolean;
}

export class AutoTopUpSettingsView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: Number,
    example: 100,
    description: 'Credits are bought when the balance is at or below this number.',
  })
  threshold: number;
  @ApiProperty({
    type: Number,
    example: 1_000,
    description: 'The number of credits that are bought each time.',
  })
  credits: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description:
      'The price of one credit. If null, each top-up uses the price that the credit type has at that time.',
  })
  unitPrice: number | null;
  @ApiProperty({ example: 'USD', description: 'The currency of the credit type.' }) currency: string;
  @ApiProperty({
    type: 'integer',
    example: 3,
    description: 'The maximum number of top-ups in a calendar month (UTC).',
  })
  maxPerMonth: number;
  @ApiProperty({ example: true, description: 'Whether credits are bought.' }) enabled: boolean;
}

export class AutoTopUpView extends AutoTopUpSettingsView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pm_01JD0000000000000000000000',
    description:
      'The id of the default payment method of the customer, which top-ups charge. ' +
      'If null, nothing can be charged, and the invoice of a top-up stays open until there is a payment method.',
  })
  paymentMethodId: string | null;
}
