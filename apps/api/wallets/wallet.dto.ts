import { ApiProperty } from '@nestjs/swagger';
import { BLOCK_STATUSES, LEDGER_ENTRY_TYPES, type LedgerEntryType } from '#libs/contexts/credits';
import { CREDIT_SOURCES, type CreditSource } from '#libs/rating';
import {
  BodyExample,
  ChoiceField,
  CurrencyField,
  DecimalField,
  InstantField,
  IntegerField,
  LineField,
  ListView,
  PageQuery,
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
      'Where the credits come from. Of blocks with the same priority and expiry, usage takes `grant` (the default) and `promotional` before ' +
      '`purchase`.',
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
      'The time from which the credits can no longer be used. Null: they never expire. Default: after the days of the credit type.',
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
    description: 'The currency of `costBasis`. It must be that of the credit type, which is the default.',
  })
  currency?: string;

  @LineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Welcome',
    description: 'A note for the ledger of the wallet.',
  })
  description?: string | null;

  @LineField({
    max: 255,
    optional: true,
    example: 'welcome-1',
    description:
      'A key that you choose. A second grant to the wallet with the same key returns the first block and grants nothing, whenever it comes.',
  })
  idempotencyKey?: string;
}

@BodyExample({ reason: 'Granted by mistake' })
export class VoidBlockBody {
  @LineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The reason, as the ledger of the wallet shows it.',
  })
  reason?: string | null;
}

@BodyExample({ amount: 100, reason: 'Granted by mistake' })
export class VoidCreditsBody extends VoidBlockBody {
  @DecimalField({
    above: 0,
    max: 1e15,
    example: 100,
    description: 'The number of credits, at most the balance.',
  })
  amount: string;
}

export class BlockView {
  @ApiProperty({ example: BLOCK_ID }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    enum: [...CREDIT_SOURCES],
    example: 'promotional',
    description: 'Where the credits come from.',
  })
  source: string;
  @ApiProperty({
    enum: [...BLOCK_STATUSES],
    example: 'active',
    description: '`scheduled`: the credits cannot be used yet. `active`: they can be used.',
  })
  status: string;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that were granted.' })
  amount: number;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that are left.' })
  remaining: number;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'The priority of the credits; lower is used first.',
  })
  priority: number;
  @ApiProperty({ format: 'date-time' }) effectiveAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0,
    description: 'The amount that was paid for all credits of the block. Null if it is not known.',
  })
  costBasis: number | null;
  @ApiProperty({ example: 'USD', description: 'The currency of `costBasis`.' }) currency: string;
  @ApiProperty({ type: String, nullable: true, example: 'Welcome' }) description: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class WalletView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that can be used now.' })
  balance: number;
  @ApiProperty({
    type: [BlockView],
    description: 'The blocks with credits left, in the order in which usage takes from them.',
  })
  blocks: BlockView[];
}

export class WalletList extends ListView {
  @ApiProperty({ type: [WalletView] }) data: WalletView[];
}

export class WalletLedgerQuery extends PageQuery {
  @ChoiceField(LEDGER_ENTRY_TYPES, { optional: true, description: 'Selects entries of this kind.' })
  type?: LedgerEntryType;

  @InstantField({ query: true, optional: true, description: 'The first moment of the time range.' })
  from?: string;

  @InstantField({
    query: true,
    optional: true,
    after: 'from',
    example: '2026-02-28T00:00:00Z',
    description: 'The first moment after the time range.',
  })
  to?: string;
}

class WalletLedgerBlockView {
  @ApiProperty({ example: BLOCK_ID, description: 'The id of the block.' }) blockId: string;
  @ApiProperty({ type: Number, example: -100 }) amount: number;
}

export class WalletLedgerEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({
    enum: [...LEDGER_ENTRY_TYPES],
    example: 'voided',
    description:
      '`granted`: credits were granted. `drawn_down`: usage used credits. `expired`: the rest of a block ended at its expiry. `voided`: credits ' +
      'were taken back.',
  })
  type: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: Number,
    example: -100,
    description: 'The change in credits. Below zero if credits are gone.',
  })
  amount: number;
  @ApiProperty({
    type: Number,
    example: 400,
    description: 'The number of credits that could be used right after the change.',
  })
  balance: number;
  @ApiProperty({ type: [WalletLedgerBlockView], description: 'The part of each block.' })
  blocks: WalletLedgerBlockView[];
  @ApiProperty({
    type: Number,
    example: 0,
    description:
      'The number of credits that usage cost and no block covered. They are billed. Only for `drawn_down`.',
  })
  overage: number;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The note of the grant, or the reason of the void.',
  })
  description: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class WalletLedgerList extends ListView {
  @ApiProperty({ type: [WalletLedgerEntryView] }) data: WalletLedgerEntryView[];
}
