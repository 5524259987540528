import { ApiProperty } from '@nestjs/swagger';
import {
  APPROVAL_ACTIONS,
  APPROVAL_STATUSES,
  type ApprovalAction,
  type ApprovalStatus,
} from '#libs/contexts/approvals';
import { BodyExample, ChoiceField, ListView, PageQuery, TextField } from '../http/index.js';

/** An example of the id of an approval request. */
export const EXAMPLE_APPROVAL_ID = 'apr_01JD0000000000000000000000';
const INVOICE_ID = 'inv_01JD0000000000000000000000';

/** The body of an approval or a rejection. */
@BodyExample({ note: 'Agreed with the customer' })
export class DecisionBody {
  @TextField({
    max: 1_000,
    optional: true,
    nullable: true,
    example: 'Agreed with the customer',
    description: 'A note for the other people of the workspace.',
  })
  note?: string | null;
}

export class ApprovalListQuery extends PageQuery {
  @ChoiceField(APPROVAL_STATUSES, { optional: true, description: 'Only requests with this status.' })
  status?: ApprovalStatus;

  @ChoiceField(APPROVAL_ACTIONS, { optional: true, description: 'Only requests for this action.' })
  action?: ApprovalAction;
}

export class ApprovalResourceView {
  @ApiProperty({
    example: 'invoice',
    description:
      'The kind of resource: `invoice`, `subscription`, `wallet` or `balance`. A `result` can also be a `credit_note` or a `credit_block`.',
  })
  type: string;
  @ApiProperty({
    example: INVOICE_ID,
    description:
      'The id of the resource. For a wallet, this is the id of its credit type. For a balance, this is its currency.',
  })
  id: string;
}

export class ApprovalPersonView {
  @ApiProperty({
    enum: ['user', 'api_key', 'customer'],
    example: 'user',
    description: 'The kind of credential: a signed-in user, an API key, or a customer.',
  })
  type: 'user' | 'api_key' | 'customer';
  @ApiProperty({
    example: 'usr_01JD0000000000000000000000',
    description: 'The id of the user, the API key or the customer.',
  })
  id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'usr_01JD0000000000000000000000',
    description:
      'The id of the user who signed in, or who created the API key directly or by means of other keys. Null if there is no such user.',
  })
  userId: string | null;
}

export class ApprovalLineView {
  @ApiProperty({ example: 'Platform fee', description: 'What the line is about.' }) description: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1_200,
    description:
      'The amount of the line, in the currency of the request. Null if the line grants credits of a type with the `unitPrice` 0.',
  })
  amount: number | null;
}

export class ApprovalChangeView {
  @ApiProperty({ example: 'status', description: 'The field of the resource.' }) field: string;
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
    example: 'open',
    description: 'The value when the action was requested. Null if the field had no value.',
  })
  before: string | number | null;
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
    example: 'void',
    description:
      'The value that the action sets, computed when the action was requested. Null if the action sets no value.',
  })
  after: string | number | null;
}

export class ApprovalTermView {
  @ApiProperty({ example: 'plan', description: 'What the term is about.' }) name: string;
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
    example: 'Pro (plan_01JD0000000000000000000000, version 1)',
    description: 'The value when the action was requested. Null if there is none.',
  })
  value: string | number | null;
}

export class ApprovalFailureView {
  @ApiProperty({
    example: 'invoice_already_paid',
    description: 'The code of the error with which the action was refused.',
  })
  code: string;
  @ApiProperty({
    example: 'The invoice is paid, and a paid invoice cannot be voided',
    description: 'The error, for people.',
  })
  message: string;
}

export class ApprovalRequestView {
  @ApiProperty({ example: EXAMPLE_APPROVAL_ID, description: 'The id of the request.' }) id: string;
  @ApiProperty({ enum: APPROVAL_ACTIONS, example: 'invoice.void', description: 'The action that is held.' })
  action: ApprovalAction;
  @ApiProperty({ example: 'Void an invoice', description: 'The name of the action, for display.' })
  label: string;
  @ApiProperty({
    enum: APPROVAL_STATUSES,
    example: 'pending',
    description:
      '`pending`: nobody has decided. `approved`: the action will be executed at once. `executing`: the action is being executed. ' +
      '`executed`: the action was done. `failed`: the action was refused; `failure` says why. `rejected` and `expired`: the ' +
      'action will not be done.',
  })
  status: ApprovalStatus;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'cust_northwind',
    description:
      'The customer whom the action is about. Null for a lower price and for a change of settings, which are about no single customer.',
  })
  customerId: string | null;
  @ApiProperty({ type: ApprovalResourceView, description: 'What the action would change.' })
  resource: ApprovalResourceView;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1_200,
    description:
      'The amount of the action, which was compared with the threshold of the policy. The amount of an invoice or a credit note is with ' +
      'taxes. For credits that are sold below their price, this is the difference. Null for a cancellation, a pause or a lower ' +
      'price, for a grant of credits of a type with the `unitPrice` 0, and for an automatic top-up below the price.',
  })
  amount: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'USD',
    description:
      'The currency of `amount` and of the lines. Null for a grant of credits of a type with the `unitPrice` 0.',
  })
  currency: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Issued by mistake',
    description:
      'The reason that the requester gave. For a credit note, its memo. Null if there is none, and for a cancellation.',
  })
  reason: string | null;
  @ApiProperty({
    type: [ApprovalLineView],
    description:
      'The lines that the action is about. For an invoice, these are its lines. For a credit note, these are its lines and taxes. ' +
      'For a subscription, these are the lines of the invoice that the cancellation would have created at the time of the request. ' +
      'The list is empty if the cancellation creates no invoice at once. For a grant of prepaid credits, these are the credits to ' +
      'grant. After the erasure of the customer, the list is empty.',
  })
  lines: ApprovalLineView[];
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-02-01T00:00:00.000Z',
    description:
      'The time at which the action takes effect, for example the end of the period at which a subscription is canceled. Null if the ' +
      'action takes effect as soon as it is executed.',
  })
  effectiveAt: string | null;
  @ApiProperty({
    type: [ApprovalTermView],
    description:
      'The terms of the action, for example the plan and the prices of a subscription. The approval is for this `amount`, this ' +
      '`effectiveAt` and these terms. If one of them has changed, the action is refused with `approval_outdated`.',
  })
  terms: ApprovalTermView[];
  @ApiProperty({ type: [ApprovalChangeView], description: 'The fields that the action changes.' })
  changes: ApprovalChangeView[];
  @ApiProperty({ type: ApprovalPersonView, description: 'Who asked for the action.' })
  requestedBy: ApprovalPersonView;
  @ApiProperty({
    format: 'date-time',
    description: 'The time of the request, by the clock of the workspace.',
  })
  requestedAt: string;
  @ApiProperty({
    format: 'date-time',
    description:
      'The time at which the request expires. From this time on, nobody can approve or reject the request.',
  })
  expiresAt: string;
  @ApiProperty({
    type: ApprovalPersonView,
    nullable: true,
    description: 'Who approved or rejected the request. Null until then, and for an expired request.',
  })
  decidedBy: ApprovalPersonView | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the approval or rejection. Null until then, and for an expired request.',
  })
  decidedAt: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Agreed with the customer',
    description: 'The note of the person who decided. Null if there is none.',
  })
  note: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time at which the action was done, or failed. Null until then, and for a rejected or expired request.',
  })
  finishedAt: string | null;
  @ApiProperty({
    type: ApprovalResourceView,
    nullable: true,
    description: 'What the action changed or created. Null until the action is done.',
  })
  result: ApprovalResourceView | null;
  @ApiProperty({
    type: ApprovalFailureView,
    nullable: true,
    description:
      'The error with which the action was refused after its approval. Null if the action was not refused.',
  })
  failure: ApprovalFailureView | null;
}

export class ApprovalRequestList extends ListView {
  @ApiProperty({ type: [ApprovalRequestView], description: 'The requests, most recent first.' })
  data: ApprovalRequestView[];
}
