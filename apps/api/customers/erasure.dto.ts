import { ApiProperty } from '@nestjs/swagger';
import { ERASURE_STEPS } from '#libs/contexts/privacy';
import { BodyExample, BooleanField, TextField } from '../http/index.js';

/** The body of a request for the erasure of a customer. */
@BodyExample({ reason: 'Request of the person, ticket 4711' })
export class EraseCustomerBody {
  @TextField({
    max: 500,
    description: 'Why the data is erased. It stays on record, so it must not name the person.',
    example: 'Request of the person, ticket 4711',
  })
  reason: string;

  @BooleanField({
    optional: true,
    example: true,
    description:
      'Settles what is left: subscriptions end at once without a last invoice, drafts and open invoices are voided, credits are voided. ' +
      'A balance stays in the books.',
  })
  force?: boolean;
}

export class ErasureStepView {
  @ApiProperty({ enum: ERASURE_STEPS, description: 'The step.', example: 'settlement' }) step: string;
  @ApiProperty({
    enum: ['done', 'in_progress', 'waiting'],
    example: 'done',
    description: 'How far the step is.',
  })
  status: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the step was done.',
    example: '2026-02-01T00:00:00.000Z',
  })
  doneAt: string | null;
}

export class ErasureView {
  @ApiProperty({ example: 'cust_northwind', description: 'The id of the customer, which stays.' })
  customerId: string;
  @ApiProperty({
    enum: ['in_progress', 'completed'],
    example: 'in_progress',
    description: 'How far the erasure is.',
  })
  status: string;
  @ApiProperty({
    example: 'Request of the person, ticket 4711',
    description: 'The reason of the first request.',
  })
  reason: string;
  @ApiProperty({ example: false, description: 'Whether the first request settled what was left.' })
  force: boolean;
  @ApiProperty({
    format: 'date-time',
    example: '2026-02-01T00:00:00.000Z',
    description: 'The time of the first request.',
  })
  requestedAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The time from which nothing of the person is left. Null while the erasure is under way.',
  })
  completedAt: string | null;
  @ApiProperty({ type: [ErasureStepView], description: 'The steps, in their order.' })
  steps: ErasureStepView[];
}
