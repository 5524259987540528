import { ApiProperty } from '@nestjs/swagger';
import { OVERAGE_POLICIES, type OveragePolicy } from '#libs/rating';
import { DecimalField, IdField, SingleLineField } from '../http/index.js';

export class WalletCheckQuery {
  @IdField({ example: 'cust_northwind', description: 'The id of the customer.' })
  customerId: string;

  @IdField({
    optional: true,
    example: 'ai-credits',
    description:
      'The id of the credit type. Default: the only credit type that charges events of `eventName`, or without `eventName` the only one of the workspace.',
  })
  creditType?: string;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'tokens',
    description:
      'The name of the planned usage events. It is needed with `quantity` if the credit type charges events of several names.',
  })
  eventName?: string;

  @DecimalField({
    min: 0,
    optional: true,
    query: true,
    example: 100,
    description:
      "The number of units to be used. Their cost is computed with the `creditsPerUnit` of the credit type's rate. If several metrics " +
      'with a rate count the event, their rates are added. The `groups` of a rate are ignored, because the properties of a future event ' +
      'are not known.',
  })
  quantity?: string;

  @DecimalField({
    min: 0,
    optional: true,
    query: true,
    example: 50,
    description: 'The number of credits to be used. If `amount` is given, `quantity` is ignored.',
  })
  amount?: string;
}

export class WalletCheckView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    example: true,
    description:
      'Whether the credits would allow the planned usage now: the balance covers it, or the credit type allows overage. Usage limits are ' +
      'not checked.',
  })
  allowed: boolean;
  @ApiProperty({
    example: true,
    description:
      'Whether the balance covers the planned usage. If `required` is null: whether any credits are left.',
  })
  covered: boolean;
  @ApiProperty({
    enum: [...OVERAGE_POLICIES],
    example: 'block',
    description: 'What the credit type does with usage that the balance does not cover.',
  })
  overage: OveragePolicy;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that can be used now.' })
  balance: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 50,
    description:
      'The number of credits that the planned usage costs. Null if the request has no quantity and no amount.',
  })
  required: number | null;
}
