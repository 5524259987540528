import { ApiProperty } from '@nestjs/swagger';
import { BLOCK_STATUSES } from '#libs/contexts/credits';
import { CREDIT_SOURCES, type CreditSource } from '#libs/rating';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  CurrencyField,
  DecimalField,
  InstantField,
  IntegerField,
  SingleLineField,
} from '../http/index.js';

const BLOCK_ID = 'blk_01JD0000000000000000000000';

@BodyExample({
  amount: 500,
  source: 'promotional',
  priority: 0,
  description: 'Welcome',
  idempotencyKey: 'welcome-1',
})
export class GrantCreditsBody {
  @DecimalField({ above: 0, max: 1e15, example: 500, description: 'The number of credits.' })
  amount: string;

  @ChoiceField(CREDIT_SOURCES, {
    optional: true,
    description:
      'Where the credits come from. Default: `grant`. ' +
      'If blocks have the same priority and expiry, usage takes free credits before purchased credits.',
  })
  source?: CreditSource;

  @IntegerField({
    min: 0,
    max: 1_000,
    optional: true,
    example: 0,
    description: 'The priority of the credits; lower is used first. Default 10.',
  })
  priority?: number;

  @InstantField({ optional: true, description: 'The time from which the credits can be used. Default: now.' })
  effectiveAt?: string;

  @InstantField({
    optional: true,
    nullable: true,
    after: 'effectiveAt',
    example: '2026-12-31T00:00:00Z',
    description:
      'The time from which the credits can no longer be used. If null, the credits never expire. By default, the credit type decides after how many days the credits expire.',
  })
  expiresAt?: string | null;

  @DecimalField({
    min: 0,
    optional: true,
    nullable: true,
    example: 0,
    description: 'The amount that was paid for all of these credits, for reports. It is not invoiced.',
  })
  costBasis?: string | null;

  @CurrencyField({
    optional: true,
    description:
      'The currency of `costBasis`. The only accepted currency is that of the credit type, which is also the default.',
  })
  currency?: string;

  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Welcome',
    description: 'A note for the ledger of the wallet.',
  })
  description?: string | null;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'welcome-1',
    description:
      'A key that you choose. If a later grant to the same wallet has the same key, no credits are granted, and the response shows ' +
      'the first block as it was granted.',
  })
  idempotencyKey?: string;
}

class VoidBody {
  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The reason for the void, which the ledger of the wallet shows.',
  })
  reason?: string | null;
}

@BodyExample({ reason: 'Granted by mistake' })
export class VoidBlockBody extends VoidBody {
  @BooleanField({
    optional: true,
    example: true,
    description:
      'If true, a credit note on the invoice gives back the price of the unused credits of a bought block. Refused for a block that was ' +
      'not bought. Without effect for a block that is not paid. Default false.',
  })
  creditNote?: boolean;
}

@BodyExample({ amount: 100, reason: 'Granted by mistake' })
export class VoidCreditsBody extends VoidBody {
  @DecimalField({
    above: 0,
    max: 1e15,
    example: 100,
    description: 'The number of credits, at most the balance.',
  })
  amount: string;
}

class BlockAllowanceView {
  @ApiProperty({ example: 'alw_01JD0000000000000000000000', description: 'The id of the allowance.' })
  id: string;
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({
    type: Number,
    example: 200,
    description: 'The number of credits of the block that were carried over from the previous interval.',
  })
  rolledOver: number;
}

/** The fields of a block of credits that both the workspace and its customer can see. */
export class SharedBlockView {
  @ApiProperty({ example: BLOCK_ID }) id: string;
  @ApiProperty({
    enum: [...CREDIT_SOURCES],
    example: 'purchase',
    description: 'Where the credits come from.',
  })
  source: (typeof CREDIT_SOURCES)[number];
  @ApiProperty({
    enum: [...BLOCK_STATUSES],
    example: 'active',
    description:
      '`pending_payment`: the invoice of the credits is not paid. `scheduled`: the credits cannot be used yet. `active`: they can be used.',
  })
  status: (typeof BLOCK_STATUSES)[number];
  @ApiProperty({
    type: Number,
    example: 500,
    description: 'The number of credits that the block had at first.',
  })
  amount: number;
  @ApiProperty({
    type: Number,
    example: 320,
    description: 'The number of credits that are left. 0 while the invoice of the credits is not paid.',
  })
  remaining: number;
  @ApiProperty({
    type: Number,
    example: 0,
    description:
      'The part of `remaining` that cannot be used, because the purchase is disputed, or because it was refunded or lost and the credit ' +
      'type blocks such credits.',
  })
  blocked: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the credits can be used. Null while the invoice of the credits is not paid.',
  })
  effectiveAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the credits can no longer be used. Null for never. Also null while the invoice of the credits is not paid and ' +
      'the expiry depends on the time of the payment.',
  })
  expiresAt: string | null;
}

export class BlockView extends SharedBlockView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'The priority of the credits; lower is used first.',
  })
  priority: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0,
    description:
      'The amount that was paid for all credits of the block, for a bought block without taxes. Null if the amount is not known, and ' +
      'while a bought block is not paid.',
  })
  costBasis: number | null;
  @ApiProperty({ example: 'USD', description: 'The currency of `costBasis`.' }) currency: string;
  @ApiProperty({ type: String, nullable: true, example: 'Welcome' }) description: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The id of the invoice of a bought block. Null if the block was not bought.',
  })
  invoiceId: string | null;
  @ApiProperty({
    type: BlockAllowanceView,
    nullable: true,
    description: 'The allowance of a plan that granted the block. Null if none did.',
  })
  allowance: BlockAllowanceView | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}
