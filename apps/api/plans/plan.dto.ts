import { ApiProperty, ApiPropertyOptional, getSchemaPath, PartialType } from '@nestjs/swagger';
import { MAX_PRICES, PLAN_VERSION_STATUSES } from '#libs/catalog';
import { RuleField, TextField } from '../http/index.js';

export class PlanPriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) priceId: string;
}

export class CreatePlanBody {
  @TextField({ max: 200, example: 'Growth' })
  name: string;

  @TextField({ max: 1_000, optional: true, nullable: true })
  description?: string | null;

  @RuleField(
    'isPriceList',
    {
      type: 'array',
      items: { oneOf: [{ $ref: getSchemaPath(PlanPriceView) }, { type: 'string' }] },
      minItems: 1,
      maxItems: MAX_PRICES,
    },
    Array.isArray,
    {
      message: 'must be a list of prices, each {"priceId": "…"} or the id alone',
      description: 'All in one currency. A change replaces the whole list.',
    },
  )
  prices: unknown;
}

/** Only the fields to change. */
export class UpdatePlanBody extends PartialType(CreatePlanBody, { skipNullProperties: false }) {}

export class PlanVersionView {
  @ApiProperty() version: number;

  @ApiProperty({
    enum: [...PLAN_VERSION_STATUSES],
    description: '`published` is what new subscriptions get, `draft` what publishing would make so.',
  })
  status: string;

  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ type: [PlanPriceView] }) prices: PlanPriceView[];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true }) publishedAt: string | null;
}

/** The version that was edited last, and which one new subscriptions get. */
export class PlanView {
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ type: [PlanPriceView] }) prices: PlanPriceView[];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty() version: number;
  @ApiProperty({ enum: ['draft', 'published'], description: 'Of this version.' }) status: string;
  @ApiProperty({ description: 'The version that new subscriptions get.' }) publishedVersion: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'When this version was made.' }) updatedAt: string;
}

export class PlanList {
  @ApiProperty({ type: [PlanView] }) data: PlanView[];
}

export class PlanVersionList {
  @ApiProperty({ type: [PlanVersionView] }) data: PlanVersionView[];
}
