import { ApiProperty } from '@nestjs/swagger';
import { LEDGER_ENTRY_TYPES, type LedgerEntryType } from '#libs/contexts/credits';
import { ChoiceField, ListView, PageQuery, SinceField, UntilField } from '../http/index.js';

const BLOCK_ID = 'blk_01JD0000000000000000000000';

export class WalletLedgerQuery extends PageQuery {
  @ChoiceField(LEDGER_ENTRY_TYPES, { optional: true, description: 'Selects entries of this kind.' })
  type?: LedgerEntryType;

  @SinceField({ formerly: 'from', description: 'The first moment of the time range.' })
  since?: string;

  @UntilField({ formerly: 'to', description: 'The last moment of the time range.' })
  until?: string;
}

class WalletLedgerBlockView {
  @ApiProperty({ example: BLOCK_ID, description: 'The id of the block.' }) blockId: string;
  @ApiProperty({
    type: Number,
    example: -100,
    description: 'The number of credits that the block gained; a negative number if the block lost credits.',
  })
  amount: number;
}

export class WalletLedgerEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({
    enum: [...LEDGER_ENTRY_TYPES],
    example: 'voided',
    description:
      '`granted`: credits were granted. `purchased`: a purchase was paid. `drawn_down`: usage used credits. `expired`: the unused ' +
      'credits of a block expired. `voided`: credits were taken back. ' +
      '`taken_back`, `blocked`, `released`: what a refund or a dispute of the purchase did to its credits.',
  })
  type: (typeof LEDGER_ENTRY_TYPES)[number];
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: Number,
    example: -100,
    description: 'The change in credits. The change is negative if credits were taken.',
  })
  amount: number;
  @ApiProperty({
    type: Number,
    example: 400,
    description: 'The number of credits that could be used right after the change.',
  })
  balance: number;
  @ApiProperty({
    type: [WalletLedgerBlockView],
    description: 'The number of credits that each block gained or lost.',
  })
  blocks: WalletLedgerBlockView[];
  @ApiProperty({
    type: Number,
    example: 0,
    description:
      'The number of credits that were charged for usage but not covered by any block. They are billed. Only for `drawn_down`, and 0 for ' +
      'usage of a trial, which is not billed.',
  })
  overage: number;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The note of the grant or of the purchase, or the reason of the void.',
  })
  description: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class WalletLedgerList extends ListView {
  @ApiProperty({ type: [WalletLedgerEntryView] }) data: WalletLedgerEntryView[];
}
