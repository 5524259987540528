import { ApiProperty } from '@nestjs/swagger';
import { ExactNumber, InvalidRequest, parseDecimal } from '#libs/kernel/core';
import {
  CREDIT_NOTE_REASONS,
  CREDIT_NOTE_STATUSES,
  CREDIT_NOTE_TARGETS,
  type CreditNoteReason,
  type CreditNoteTarget,
} from '#libs/contexts/invoicing';
import type { CreditRequest, LineAmount } from '#libs/rating';
import {
  BodyExample,
  ChoiceField,
  decimal,
  DecimalField,
  ListView,
  RuleField,
  TextField,
} from '../http/index.js';
import { TaxView } from './invoice.dto.js';

const MAX_LINES = 500;
const AMOUNT_BELOW = 1e15;

@BodyExample({ reason: 'service_issue', amount: 10 })
export class IssueCreditNoteBody {
  @ChoiceField(CREDIT_NOTE_REASONS, { description: 'Why it is issued.' })
  reason: CreditNoteReason;

  @TextField({
    max: 600,
    optional: true,
    description: 'Printed on the credit note.',
    example: 'We are sorry for the outage',
  })
  memo?: string;

  @RuleField(
    'isCreditedLineList',
    {
      type: 'array',
      minItems: 1,
      maxItems: MAX_LINES,
      items: {
        type: 'object',
        required: ['lineId', 'amount'],
        properties: {
          lineId: {
            type: 'string',
            description: 'The id of the line.',
            example: 'line_01JD0000000000000000000000',
          },
          amount: {
            ...decimal({ above: 0, below: AMOUNT_BELOW }),
            description: 'How much of it, before coupons and taxes.',
            example: 10,
          },
        },
      },
    },
    (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_LINES,
    {
      optional: true,
      message: `must be a list of 1 to ${MAX_LINES} {"lineId": "…", "amount": 10}`,
      description:
        'Amounts of lines, before coupons and taxes: their share of the coupons is not given back, their share of the taxes is. ' +
        'Or `amount`; without either, all that is left.',
      example: [{ lineId: 'line_01JD0000000000000000000000', amount: 10 }],
    },
  )
  lines?: unknown;

  @DecimalField({
    above: 0,
    optional: true,
    description: 'An amount, with its taxes. Or `lines`.',
    example: 10,
  })
  amount?: string;

  @ChoiceField(CREDIT_NOTE_TARGETS, {
    optional: true,
    description:
      'Where it goes: off the `unpaid` part of an invoice that is not paid (the default there); of one that is paid, as a `refund` to the card ' +
      '(the default), or to the `balance` of the customer. What the balance had paid goes back there in any case.',
  })
  to?: CreditNoteTarget;
}

export class VoidCreditNoteBody {
  @TextField({ max: 500, optional: true, nullable: true, description: 'Why; kept with the credit note.' })
  reason?: string | null;
}

/** What is to be credited; null for all that is left. InvalidRequest names fields that are wrong, or do not go together. */
export function creditRequest({ lines, amount }: IssueCreditNoteBody): CreditRequest | null {
  if (lines !== undefined && amount !== undefined)
    throw InvalidRequest.field('amount', 'cannot be combined with lines; give one of them');
  if (amount !== undefined) return { amount };
  return lines === undefined ? null : { lines: (lines as unknown[]).map(creditedLine) };
}

function creditedLine(element: unknown, i: number): LineAmount {
  const { lineId, amount, ...others } = Object(element) as Record<string, unknown>;
  if (typeof lineId !== 'string' || Object.keys(others).length > 0)
    throw InvalidRequest.field(`lines[${i}]`, 'must be an object of lineId and amount alone');
  const text = amount instanceof ExactNumber ? amount.text : typeof amount === 'number' ? amount : undefined;
  const decimal = text === undefined ? undefined : parseDecimal(text);
  if (!decimal || decimal.lte(0) || decimal.gte(AMOUNT_BELOW) || decimal.decimalPlaces() > 15)
    throw InvalidRequest.field(`lines[${i}].amount`, 'must be a number above 0');
  return { id: lineId, amount: decimal.toFixed() };
}

class CreditedLineView {
  @ApiProperty() lineId: string;
  @ApiProperty({ description: 'Before coupons and taxes.' }) amount: number;
}

export class CreditNoteView {
  @ApiProperty({ example: 'cn_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'CN-000001',
    description: 'The number that is printed on it.',
  })
  number: string | null;
  @ApiProperty() invoiceId: string;
  @ApiProperty() customerId: string;
  @ApiProperty({ enum: CREDIT_NOTE_STATUSES, description: '`void`: taken back; it gives nothing back.' })
  status: string;
  @ApiProperty({ enum: CREDIT_NOTE_REASONS, description: 'Why it was issued.' }) reason: string;
  @ApiProperty({ type: String, nullable: true, example: null }) memo: string | null;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: [CreditedLineView], description: 'None for a note over an amount.' })
  lines: CreditedLineView[];
  @ApiProperty({ description: 'The share of the coupons, which is not given back.' }) discount: number;
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty() total: number;
  @ApiProperty({ description: 'Of the total: taken off what was still to be paid.', example: 0 })
  unpaidAmount: number;
  @ApiProperty({ description: "Of the total: added to the customer's balance.", example: 0 })
  balanceAmount: number;
  @ApiProperty({ description: 'Of the total: refunded in money.', example: 10 }) refundAmount: number;
  @ApiProperty({ enum: ['none', 'pending', 'succeeded'], description: 'How far the refund is.' })
  refundStatus: string;
  @ApiProperty({ format: 'date-time' }) issuedAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt: string | null;
  @ApiProperty({ type: String, nullable: true }) voidReason: string | null;
}

export class CreditNoteList extends ListView {
  @ApiProperty({ type: [CreditNoteView] }) data: CreditNoteView[];
}
