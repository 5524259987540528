import { ApiProperty } from '@nestjs/swagger';
import { InvalidRequest, decimalFromJson, wrongValue } from '#libs/kernel/core';
import {
  CREDIT_NOTE_REASONS,
  CREDIT_NOTE_STATUSES,
  REFUND_STATUSES,
  CREDIT_NOTE_TARGETS,
  type CreditNoteReason,
  type CreditNoteStatus,
  type CreditNoteTarget,
} from '#libs/contexts/invoicing';
import type { RequestedCreditAmounts, LineAmount } from '#libs/rating';
import {
  BodyExample,
  ChoiceField,
  CsvPageQuery,
  DecimalField,
  decimalSchema,
  IdField,
  ListView,
  RuleField,
  SinceField,
  SingleLineField,
  TextField,
  UntilField,
} from '../http/index.js';
import { TaxView } from './invoice.dto.js';

const MAX_LINES = 500;
const AMOUNT_BELOW = 1e15;

@BodyExample({ reason: 'service_issue', amount: 10 })
export class IssueCreditNoteBody {
  @ChoiceField(CREDIT_NOTE_REASONS, { description: 'The reason for the credit note.' })
  reason: CreditNoteReason;

  @TextField({
    max: 600,
    optional: true,
    description: 'A text that is printed on the credit note.',
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
            ...decimalSchema({ above: 0, below: AMOUNT_BELOW }),
            description: 'The amount of the line to credit, before coupons and taxes.',
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
        'The amounts of single lines to credit, before coupons and taxes. The taxes on these amounts are given back too, but the coupon ' +
        'discounts on them are not. Give either this or `amount`. Without `lines` and `amount`, everything that can still be credited is ' +
        'credited. On an unpaid invoice, this is at most the amount due.',
      example: [{ lineId: 'line_01JD0000000000000000000000', amount: 10 }],
    },
  )
  lines?: unknown;

  @DecimalField({
    above: 0,
    optional: true,
    description: 'The amount to credit, with its taxes. Give either this or `lines`.',
    example: 10,
  })
  amount?: string;

  @ChoiceField(CREDIT_NOTE_TARGETS, {
    optional: true,
    description:
      'How the credit is given to the customer. `unpaid` reduces an invoice that is not paid, and is the default for such an invoice. ' +
      'For a paid invoice: `refund` to the card, or `balance` of the customer. The default is `refund` if a card payment can still be ' +
      'refunded, otherwise `balance`. With `refund`, the part that the balance had paid goes back to the balance first. The rest is ' +
      'refunded to the card, and a part that no card paid goes to the balance.',
  })
  to?: CreditNoteTarget;
}

export class VoidCreditNoteBody {
  @TextField({
    max: 500,
    optional: true,
    nullable: true,
    description: 'The reason for the void, which is stored with the credit note.',
  })
  reason?: string | null;
}

/**
 * Returns the requested credit, or null if the request is to credit everything that can still be credited. Throws InvalidRequest if fields
 * are wrong or exclude each other; the error names them.
 */
export function readRequestedCredit({ lines, amount }: IssueCreditNoteBody): RequestedCreditAmounts | null {
  if (lines !== undefined && amount !== undefined)
    throw InvalidRequest.field('amount', 'cannot be combined with lines; give one of them');
  if (amount !== undefined) return { amount };
  return lines === undefined ? null : { lines: (lines as unknown[]).map(creditedLine) };
}

function creditedLine(element: unknown, i: number): LineAmount {
  const { lineId, amount, ...others } = Object(element) as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (typeof lineId === 'string' && unknown !== undefined)
    throw InvalidRequest.field(
      `lines[${i}].${unknown}`,
      'is not a field of a line; it has lineId and amount',
    );
  if (typeof lineId !== 'string')
    throw InvalidRequest.field(`lines[${i}]`, 'must be an object with lineId and amount');
  const decimal = decimalFromJson(amount);
  if (!decimal || decimal.lte(0) || decimal.gte(AMOUNT_BELOW) || decimal.decimalPlaces() > 15)
    throw InvalidRequest.field(`lines[${i}].amount`, wrongValue(amount, 'must be a number above 0'));
  return { id: lineId, amount: decimal.toFixed() };
}

class CreditedLineView {
  @ApiProperty() lineId: string;
  @ApiProperty({ description: 'The credited amount of the line, before coupons and taxes.' }) amount: number;
}

export class CreditNoteView {
  @ApiProperty({ example: 'cn_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'CN-000001',
    description:
      'The number that is printed on the credit note. Null until the credit note gets its number, shortly after its issue.',
  })
  number: string | null;
  @ApiProperty() invoiceId: string;
  @ApiProperty({ example: 'INV-000001', description: 'The number of the invoice.' }) invoiceNumber: string;
  @ApiProperty() customerId: string;
  @ApiProperty({
    enum: CREDIT_NOTE_STATUSES,
    description: '`void`: the credit note was canceled and no longer credits anything.',
  })
  status: (typeof CREDIT_NOTE_STATUSES)[number];
  @ApiProperty({ enum: CREDIT_NOTE_REASONS, description: 'The reason for the credit note.' })
  reason: (typeof CREDIT_NOTE_REASONS)[number];
  @ApiProperty({ type: String, nullable: true, example: null }) memo: string | null;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    type: [CreditedLineView],
    description: 'The credited lines. Empty if the request for the credit note had no `lines`.',
  })
  lines: CreditedLineView[];
  @ApiProperty({
    description:
      'The part of the credited lines that coupons had discounted, which is not given back. Zero if `lines` is empty.',
  })
  discount: number;
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty() total: number;
  @ApiProperty({
    description:
      'The part of the total that was taken off what was still unpaid on the invoice. Nothing of this part is paid to the customer.',
    example: 0,
  })
  unpaidAmount: number;
  @ApiProperty({ description: "The part of the total that is added to the customer's balance.", example: 0 })
  balanceAmount: number;
  @ApiProperty({
    description: 'The part of the total that is paid back to the customer as a refund.',
    example: 10,
  })
  refundAmount: number;
  @ApiProperty({
    enum: REFUND_STATUSES,
    description:
      'The status of the refund. `refused`: the payment gateway refused it for good. `failed`: it failed after the gateway had ' +
      'accepted it. In both cases, void the note, and credit the balance instead.',
  })
  refundStatus: (typeof REFUND_STATUSES)[number];
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The reason why the payment gateway refused the refund, or why the refund failed. Null otherwise.',
  })
  refundRefusal: string | null;
  @ApiProperty({
    example: 0,
    description:
      'The part of `refundAmount` that was given back at the payment processor itself, by a refund in its dashboard or a lost dispute. ' +
      'This part is not refunded again.',
  })
  refundedAtProcessor: number;
  @ApiProperty({ format: 'date-time' }) issuedAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt: string | null;
  @ApiProperty({ type: String, nullable: true }) voidReason: string | null;
}

export class CreditNoteList extends ListView {
  @ApiProperty({ type: [CreditNoteView] }) data: CreditNoteView[];
}

export class AllCreditNotesQuery extends CsvPageQuery {
  @IdField({
    optional: true,
    example: 'cust_northwind',
    description: 'Selects credit notes of this customer.',
  })
  customerId?: string;

  @IdField({
    optional: true,
    example: 'inv_01J8XW3N2M7QK4T5V6W7X8Y9ZA',
    description: 'Selects credit notes of this invoice.',
  })
  invoiceId?: string;

  @SingleLineField({
    max: 64,
    optional: true,
    example: 'CN-000001',
    description: 'Selects the credit note with this printed number.',
  })
  number?: string;

  @ChoiceField(CREDIT_NOTE_STATUSES, {
    optional: true,
    description: 'Selects credit notes with this status.',
  })
  status?: CreditNoteStatus;

  @SinceField({
    formerly: 'from',
    description: 'Selects credit notes that were issued at this time or later.',
  })
  since?: string;

  @UntilField({
    formerly: 'to',
    description: 'Selects credit notes that were issued at this time or earlier.',
  })
  until?: string;
}
