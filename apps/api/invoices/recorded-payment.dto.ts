import { ApiProperty } from '@nestjs/swagger';
import { InvalidRequest } from '#libs/kernel/core';
import {
  RECORDED_PAYMENT_METHODS,
  RECORDED_PAYMENT_STATUSES,
  type RecordedPaymentMethod,
  type RecordedPaymentStatus,
} from '#libs/contexts/invoicing';
import {
  BodyExample,
  ChoiceField,
  DecimalField,
  InstantField,
  ListView,
  SingleLineField,
  TextField,
} from '../http/index.js';

@BodyExample({
  amount: 23.75,
  method: 'bank_transfer',
  paidAt: '2026-02-03T00:00:00Z',
  reference: 'E2E-4711',
})
@BodyExample({ method: 'balance' })
export class RecordPaymentBody {
  @DecimalField({
    above: 0,
    optional: true,
    description:
      "The amount that was received. The part of the payment above the amount due goes to the customer's balance. " +
      'Required, except for the method `balance`: without an amount, the balance pays as much as possible. With the method `balance`, an ' +
      'amount above the amount due is refused.',
    example: 23.75,
  })
  amount?: string;

  @ChoiceField(RECORDED_PAYMENT_METHODS, {
    description: "How the invoice was paid. `balance` pays it from the customer's balance now.",
    example: 'bank_transfer',
  })
  method: RecordedPaymentMethod;

  @InstantField({
    optional: true,
    description:
      'The time when the customer paid: not in the future, and not before the day on which the invoice was opened. The default is now. ' +
      'Not allowed for the method `balance`.',
    example: '2026-02-03T00:00:00Z',
  })
  paidAt?: string;

  @SingleLineField({
    max: 140,
    optional: true,
    description: 'Your note, such as the number of the transfer. Not allowed for the method `balance`.',
    example: 'E2E-4711',
  })
  reference?: string;
}

export class ReversePaymentBody {
  @TextField({
    max: 500,
    description: 'The reason, which is stored with the payment.',
    example: 'The cheque bounced',
  })
  reason: string;
}

export class RecordedPaymentView {
  @ApiProperty({ example: 'rpay_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    enum: RECORDED_PAYMENT_STATUSES.filter((status) => status !== 'failed'),
    description:
      '`pending`: the amount is being taken from the balance. `reversed`: the payment no longer pays the invoice.',
    example: 'succeeded',
  })
  status: Exclude<RecordedPaymentStatus, 'failed'>;
  @ApiProperty({
    enum: RECORDED_PAYMENT_METHODS,
    description: 'The method of the payment.',
    example: 'bank_transfer',
  })
  method: (typeof RECORDED_PAYMENT_METHODS)[number];
  @ApiProperty({ description: 'The amount that was received, or taken from the balance.', example: 23.75 })
  amount: number;
  @ApiProperty({
    description:
      'True if the amount was too small to be charged and is carried to the next invoice. Only with the method `balance`.',
    example: false,
  })
  carriedForward: boolean;
  @ApiProperty({
    description: "The part of the payment above the amount due, which was added to the customer's balance.",
    example: 0,
  })
  balanceCredited: number;
  @ApiProperty({ format: 'date-time', description: 'When the customer paid.' }) paidAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Your note on the payment.',
    example: 'E2E-4711',
  })
  reference: string | null;
  @ApiProperty({ format: 'date-time', description: 'The time when the payment was recorded.' })
  createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The time when the payment was reversed. Null if the payment was not reversed.',
  })
  reversedAt: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The reason why the payment was reversed. Null if the payment was not reversed.',
    example: null,
  })
  reversalReason: string | null;
}

export class RecordedPaymentList extends ListView {
  @ApiProperty({ type: [RecordedPaymentView] }) data: RecordedPaymentView[];
}

/** A payment that a request records or takes from the balance. `amount` is null if the balance pays as much as it can. */
export type RequestedPayment =
  | { readonly method: 'balance'; readonly amount: string | null }
  | {
      readonly method: Exclude<RecordedPaymentMethod, 'balance'>;
      readonly amount: string;
      readonly paidAt: string;
      readonly reference: string | null;
    };

/**
 * Reads the requested payment. `now` is the default value of `paidAt`. Throws InvalidRequest if a field is missing or not allowed; the
 * error names the field.
 */
export function readRequestedPayment(body: RecordPaymentBody, now: string): RequestedPayment {
  const { method, amount, paidAt, reference } = body;
  if (method !== 'balance') {
    if (amount === undefined) throw InvalidRequest.field('amount', 'is required, unless the balance pays');
    return { method, amount, paidAt: paidAt ?? now, reference: reference ?? null };
  }
  for (const [field, value] of Object.entries({ paidAt, reference }))
    if (value !== undefined)
      throw InvalidRequest.field(field, 'cannot be combined with the method balance; leave it out');
  return { method, amount: amount ?? null };
}
