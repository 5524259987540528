import type { NameTranslations } from '#libs/kernel/core';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  PartialType,
} from '@nestjs/swagger';
import {
  FEATURE_FIELD_LIMITS,
  FEATURE_RESETS,
  FEATURE_TYPES,
  MAX_FEATURES,
  MAX_PRICES,
  MAX_TRIAL_DAYS,
  PLAN_VERSION_STATUSES,
  PLAN_VISIBILITIES,
  type PlanVisibility,
} from '#libs/contexts/catalog';
import {
  BodyExample,
  ChoiceField,
  decimalSchema,
  IntegerField,
  NameTranslationsField,
  NameTranslationsProperty,
  SingleLineField,
  ListView,
  RuleField,
  TextField,
} from '../http/index.js';
import { BillingThresholdsField, BillingThresholdsView } from './billing-thresholds.dto.js';
import {
  MinimumCommitmentField,
  MinimumCommitmentProperty,
  type MinimumCommitmentView,
} from './minimum-commitment.dto.js';

export class PlanPriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) priceId: string;
}

/** A feature that subscribers of a plan may use, in the form of a request. */
class PlanFeatureBody {
  @ApiProperty({ pattern: FEATURE_FIELD_LIMITS.id, maxLength: 128, example: 'seats' }) featureId: string;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: FEATURE_FIELD_LIMITS.nameLength,
    example: 'Seats',
    description: 'The name of the feature, for display. Default: the id.',
  })
  name?: string;

  @ApiPropertyOptional({
    enum: [...FEATURE_TYPES],
    example: 'numeric',
    description: 'The type. Default: `numeric` with a limit or a metric, otherwise `boolean`.',
  })
  type?: string;

  @ApiPropertyOptional({
    ...decimalSchema({ min: 0, below: FEATURE_FIELD_LIMITS.limitBelow }),
    nullable: true,
    example: 5,
    description: 'The limit of a numeric feature. Null if there is no limit.',
  })
  limit?: number | null;

  @ApiPropertyOptional({
    type: String,
    pattern: FEATURE_FIELD_LIMITS.id,
    maxLength: 128,
    nullable: true,
    example: 'met_01JD0000000000000000000000',
    description:
      'The id of the metric that measures the consumption of a numeric feature. Default null: no metric measures the feature.',
  })
  metricId?: string | null;

  @ApiPropertyOptional({
    enum: [...FEATURE_RESETS, null],
    nullable: true,
    example: 'period',
    description:
      'When the consumption is reset to zero: at the start of each billing period (`period`, the default with a metric), or `never`.',
  })
  resets?: string | null;
}

/** A feature that subscribers of a plan may use. */
export class PlanFeatureView {
  @ApiProperty({ example: 'seats' }) featureId: string;
  @ApiProperty({ example: 'Seats', description: 'The name of the feature, for display.' }) name: string;
  @ApiProperty({ enum: [...FEATURE_TYPES], example: 'numeric' }) type: (typeof FEATURE_TYPES)[number];

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 5,
    description: 'The limit of a numeric feature. Null if there is no limit.',
  })
  limit: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The id of the metric that measures the consumption of the feature. Null if no metric measures the feature.',
  })
  metricId: string | null;

  @ApiProperty({
    type: String,
    enum: [...FEATURE_RESETS, null],
    nullable: true,
    example: null,
    description: 'When the consumption of the feature is reset to zero. Null without a metric.',
  })
  resets: (typeof FEATURE_RESETS)[number] | null;
}

const PRICE_ID = {
  type: 'string',
  maxLength: 128,
  pattern: '^[A-Za-z0-9_.:-]+$',
  description: 'The id of the price.',
  example: 'price_01JD0000000000000000000000',
} as const;

const PLAN = {
  name: 'Growth',
  prices: [{ priceId: 'price_01JD0000000000000000000000' }],
  features: [
    { featureId: 'seats', name: 'Seats', type: 'numeric', limit: 5 },
    { featureId: 'sso', name: 'Single sign-on', type: 'boolean' },
  ],
  trialDays: 14,
};

@BodyExample(PLAN)
@ApiExtraModels(PlanPriceView, PlanFeatureBody)
export class CreatePlanBody {
  @SingleLineField({ max: 200, example: 'Growth', description: 'The name of the plan.' })
  name: string;

  @NameTranslationsField()
  nameTranslations?: NameTranslations | null;

  @TextField({
    max: 1_000,
    optional: true,
    nullable: true,
    description: 'A note for yourself about the plan.',
    example: 'For teams of up to fifty',
  })
  description?: string | null;

  @RuleField(
    'isPriceList',
    {
      type: 'array',
      items: { oneOf: [{ $ref: getSchemaPath(PlanPriceView) }, PRICE_ID] },
      minItems: 1,
      maxItems: MAX_PRICES,
    },
    Array.isArray,
    {
      message: 'must be a list of prices, each {"priceId": "…"} or the id alone',
      description:
        'The prices of the plan, all in one currency. A change of the prices replaces the whole list.',
    },
  )
  prices: unknown;

  @RuleField(
    'isFeatureList',
    {
      type: 'array',
      items: { $ref: getSchemaPath(PlanFeatureBody) },
      maxItems: MAX_FEATURES,
    },
    Array.isArray,
    {
      optional: true,
      message: 'must be a list of features, each {"featureId": "…", "type": "numeric", "limit": 5}',
      description: 'The features that subscribers may use. A change of the features replaces the whole list.',
    },
  )
  features?: unknown;

  @IntegerField({
    min: 0,
    max: MAX_TRIAL_DAYS,
    optional: true,
    description:
      'The number of free days of a new subscription, if the subscription has no value of its own. ' +
      'Usage on these days is free too. Default 0.',
  })
  trialDays?: number;

  @ChoiceField(PLAN_VISIBILITIES, {
    optional: true,
    description: '`public` plans are offered to customers, and `hidden` plans are not. Default `public`.',
  })
  visibility?: PlanVisibility;

  @MinimumCommitmentField()
  minimumCommitment?: unknown;

  @BillingThresholdsField('If null (the default), only thresholds of the subscription itself apply.')
  billingThresholds?: unknown;
}

/** The fields to change. A field that is left out stays as it is. */
@BodyExample(PLAN)
export class UpdatePlanBody extends PartialType(CreatePlanBody, { skipNullProperties: false }) {}

/** The OpenAPI schema of any value that a field of a plan can have. */
const OF_A_FIELD = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'object', additionalProperties: true },
    { type: 'null' },
  ] as object[],
};
/** The OpenAPI schema of the lists of a plan: price ids or features. */
const ENTRIES = {
  type: 'array' as const,
  items: { anyOf: [PRICE_ID, { $ref: getSchemaPath(PlanFeatureView) }] },
};

/** The difference between two versions of a plan in one field. */
export class PlanChangeView {
  @ApiProperty({
    enum: [
      'name',
      'nameTranslations',
      'description',
      'trialDays',
      'visibility',
      'minimumCommitment',
      'billingThresholds',
      'prices',
      'features',
    ],
    description: 'The field that differs.',
  })
  field:
    | 'name'
    | 'nameTranslations'
    | 'description'
    | 'trialDays'
    | 'visibility'
    | 'minimumCommitment'
    | 'billingThresholds'
    | 'prices'
    | 'features';
  @ApiPropertyOptional({
    ...OF_A_FIELD,
    description: 'The value before the change. Absent for a list.',
    example: 'Starter',
  })
  from?: unknown;
  @ApiPropertyOptional({
    ...OF_A_FIELD,
    description: 'The value after the change. Absent for a list.',
    example: 'Growth',
  })
  to?: unknown;
  @ApiPropertyOptional({
    ...ENTRIES,
    description: 'The price ids or features that were added. Absent if the field is no list.',
    example: [PRICE_ID.example],
  })
  added?: unknown[];
  @ApiPropertyOptional({
    ...ENTRIES,
    description: 'The price ids or features that were removed. Absent if the field is no list.',
    example: [PRICE_ID.example],
  })
  removed?: unknown[];
  @ApiPropertyOptional({
    type: 'array',
    items: {
      type: 'object',
      required: ['from', 'to'],
      properties: {
        from: {
          allOf: [{ $ref: getSchemaPath(PlanFeatureView) }],
          description: 'The feature before the change.',
        },
        to: {
          allOf: [{ $ref: getSchemaPath(PlanFeatureView) }],
          description: 'The feature after the change.',
        },
      },
    },
    description: 'The features that were changed. Absent if the field is not `features`.',
  })
  changed?: unknown[];
  @ApiPropertyOptional({
    description: 'True if only the order of the list differs. Absent otherwise.',
    example: true,
  })
  reordered?: boolean;
}

export class PlanVersionView {
  @ApiProperty({ type: 'integer' }) version: number;

  @ApiProperty({
    enum: [...PLAN_VERSION_STATUSES],
    description:
      '`published`: new subscriptions get this version. `draft`: new subscriptions get this version after it is published. `superseded`: ' +
      'neither, since another version was published or replaced this draft.',
  })
  status: (typeof PLAN_VERSION_STATUSES)[number];

  @ApiProperty() name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ type: [PlanPriceView] }) prices: PlanPriceView[];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: [PlanFeatureView] }) features: PlanFeatureView[];
  @ApiProperty({ type: 'integer' }) trialDays: number;
  @ApiProperty({ enum: [...PLAN_VISIBILITIES] }) visibility: PlanVisibility;
  @MinimumCommitmentProperty()
  minimumCommitment: MinimumCommitmentView;
  @ApiProperty({
    type: BillingThresholdsView,
    nullable: true,
    description:
      'The thresholds at which usage is invoiced before its period ends. Null if the plan has none. A subscription can have its own.',
  })
  billingThresholds: BillingThresholdsView | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of the version from which this version was edited. Null for version 1.',
    example: null,
  })
  basedOn: number | null;
  @ApiProperty({
    type: [PlanChangeView],
    description: 'The differences from the version from which this version was edited. Empty for version 1.',
  })
  changes: PlanChangeView[];
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the first publication. Null if this version was never published.',
  })
  publishedAt: string | null;
}

/**
 * A plan, with the fields of its draft, or of the published version if there is no draft. The field `publishedVersion` says which version
 * new subscriptions get.
 */
export class PlanView {
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) id: string;
  @ApiProperty() name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ type: [PlanPriceView] }) prices: PlanPriceView[];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: [PlanFeatureView] }) features: PlanFeatureView[];
  @ApiProperty({ type: 'integer' }) trialDays: number;
  @ApiProperty({ enum: [...PLAN_VISIBILITIES] }) visibility: PlanVisibility;
  @MinimumCommitmentProperty()
  minimumCommitment: MinimumCommitmentView;
  @ApiProperty({
    type: BillingThresholdsView,
    nullable: true,
    description:
      'The thresholds at which usage is invoiced before its period ends. Null if the plan has none. A subscription can have its own.',
  })
  billingThresholds: BillingThresholdsView | null;
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ enum: ['draft', 'published'], description: 'The status of this version.' }) status:
    'draft' | 'published';
  @ApiProperty({ description: 'The version that new subscriptions get.', type: 'integer', example: 1 })
  publishedVersion: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'The time when this version of the plan was made.' })
  updatedAt: string;
}

export class PlanList extends ListView {
  @ApiProperty({ type: [PlanView] }) data: PlanView[];
}

export class PlanVersionList extends ListView {
  @ApiProperty({ type: [PlanVersionView] }) data: PlanVersionView[];
}
