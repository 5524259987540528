import { ApiProperty } from '@nestjs/swagger';
import { ERASURE_STEPS } from '#libs/contexts/privacy';
import { BodyExample, BooleanField, TextField } from '../http/index.js';

/** The body of a request for the erasure of a customer. */
@BodyExample({ reason: 'Request of the person, ticket 4711' })
export class EraseCustomerBody {
  @TextField({
    max: 500,
    description:
      'Why the data is erased. The reason is not erased, so a reason with the name, an e-mail address or the `externalId` of the customer ' +
      'is refused.',
    example: 'Request of the person, ticket 4711',
  })
  reason: string;

  @BooleanField({
    optional: true,
    example: true,
    description:
      'If true, subscriptions end at once without a last invoice, and drafts, open invoices and credits are voided. An open ' +
      'invoice with credit notes, give-backs or payments is written off instead. A balance of the customer stays in the ledger.',
  })
  force?: boolean;
}

export class ErasureStepView {
  @ApiProperty({
    enum: ERASURE_STEPS,
    description:
      'The step. `settlement` ends subscriptions, voids credits, and voids or writes off open invoices. `closing` deletes the ' +
      'customer. The other steps erase personal data.',
    example: 'settlement',
  })
  step: (typeof ERASURE_STEPS)[number];
  @ApiProperty({
    enum: ['done', 'in_progress', 'waiting'],
    example: 'done',
    description: 'The progress of the step.',
  })
  status: 'done' | 'in_progress' | 'waiting';
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the step was done. Null until then.',
    example: '2026-02-01T00:00:00.000Z',
  })
  doneAt: string | null;
}

export class ErasureView {
  @ApiProperty({
    example: 'cust_northwind',
    description: 'The id of the customer. The id itself is not erased.',
  })
  customerId: string;
  @ApiProperty({
    enum: ['in_progress', 'completed'],
    example: 'in_progress',
    description: 'The progress of the erasure.',
  })
  status: 'in_progress' | 'completed';
  @ApiProperty({
    example: 'Request of the person, ticket 4711',
    description: 'The reason that the first erasure request gave.',
  })
  reason: string;
  @ApiProperty({
    example: false,
    description:
      'Whether the first erasure request had `force`, which ends subscriptions, voids credits, and voids or writes off open invoices.',
  })
  force: boolean;
  @ApiProperty({
    format: 'date-time',
    example: '2026-02-01T00:00:00.000Z',
    description: 'The time of the first erasure request.',
  })
  requestedAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The time at which the last step of the erasure was done. Null while the erasure is in progress.',
  })
  completedAt: string | null;
  @ApiProperty({ type: [ErasureStepView], description: 'The steps, in their order.' })
  steps: ErasureStepView[];
}
