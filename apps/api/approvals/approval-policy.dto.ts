import { ApiProperty } from '@nestjs/swagger';
import { APPROVAL_ACTIONS, DEFAULT_EXPIRY_DAYS, type ApprovalAction } from '#libs/contexts/approvals';
import {
  BodyExample,
  BooleanField,
  CurrencyField,
  DecimalField,
  IntegerField,
  ListView,
} from '../http/index.js';

@BodyExample({ enabled: true, thresholdAmount: 500, thresholdCurrency: 'USD', expiresInDays: 3 })
export class ChangePolicyBody {
  @BooleanField({ example: true, description: 'Whether the action needs approval.' })
  enabled: boolean;

  @DecimalField({
    min: 0,
    optional: true,
    nullable: true,
    example: 500,
    description:
      'Only amounts at or above this amount need approval. If null (at first), every amount needs approval. An action without an ' +
      'amount cannot have a threshold.',
  })
  thresholdAmount?: string | null;

  @CurrencyField({
    optional: true,
    nullable: true,
    description:
      'The currency of the threshold; required if there is a threshold, and refused without one. An amount in another currency always ' +
      'needs approval.',
  })
  thresholdCurrency?: string | null;

  @IntegerField({
    min: 1,
    max: 90,
    optional: true,
    example: 3,
    description: `A request that is still undecided after this number of days expires. At first ${DEFAULT_EXPIRY_DAYS}.`,
  })
  expiresInDays?: number;
}

export class ApprovalPolicyView {
  @ApiProperty({ enum: APPROVAL_ACTIONS, example: 'invoice.void', description: 'The action.' })
  action: ApprovalAction;
  @ApiProperty({ example: 'Void an invoice', description: 'The name of the action, for display.' })
  label: string;
  @ApiProperty({
    example: true,
    description: 'Whether the action has an amount, so that its policy can have a threshold.',
  })
  hasAmount: boolean;
  @ApiProperty({ example: true, description: 'Whether the action needs approval.' }) enabled: boolean;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 500,
    description:
      'Only amounts at or above this amount, and amounts in another currency, need approval. If null, every amount needs approval.',
  })
  thresholdAmount: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'USD',
    description: 'The currency of the threshold. Null if there is no threshold.',
  })
  thresholdCurrency: string | null;
  @ApiProperty({
    type: 'integer',
    example: 7,
    description: 'A request that is still undecided after this number of days expires.',
  })
  expiresInDays: number;
  @ApiProperty({
    format: 'date-time',
    description:
      'The time of the last change. If the policy was never changed, the time at which the workspace was created.',
  })
  updatedAt: string;
}

export class ApprovalPolicyList extends ListView {
  @ApiProperty({ type: [ApprovalPolicyView], description: 'One policy for each action.' })
  data: ApprovalPolicyView[];
}
