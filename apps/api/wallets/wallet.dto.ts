import { ApiProperty } from '@nestjs/swagger';
import { ListView } from '../http/index.js';
import { BlockView } from './block.dto.js';

export class WalletView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that can be used now.' })
  balance: number;
  @ApiProperty({
    type: [BlockView],
    description:
      'The blocks with credits left, in the order in which usage takes from them. Blocks that are not paid yet come last.',
  })
  blocks: BlockView[];
}

export class WalletList extends ListView {
  @ApiProperty({ type: [WalletView] }) data: WalletView[];
}
