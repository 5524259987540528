import { ApiProperty } from '@nestjs/swagger';
import { FEATURE_TYPES } from '#libs/contexts/catalog';
import {
  BodyExample,
  DecimalField,
  IdField,
  InstantField,
  SingleLineField,
  ListView,
} from '../http/index.js';

export class EntitlementView {
  @ApiProperty({ example: 'tokens', description: 'The id of the feature.' }) featureId: string;
  @ApiProperty({ example: 'Tokens', description: 'The name of the feature.' }) featureName: string;
  @ApiProperty({ enum: [...FEATURE_TYPES], example: 'numeric', description: 'The type of the feature.' })
  type: (typeof FEATURE_TYPES)[number];
  @ApiProperty({
    example: true,
    description:
      'Whether the customer may use the feature now. Access is false if the limit of a numeric feature is reached.',
  })
  hasAccess: boolean;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1_000,
    description: 'The limit of a numeric feature. Null if there is none.',
  })
  allocated: number | null;
  @ApiProperty({
    type: Number,
    example: 250,
    description:
      'The consumed quantity, which the metric of the feature measures in the present billing period. If `resets` of the feature is `never`, ' +
      'the quantity is measured since the start of the subscription. The quantity is 0 if the feature has no metric.',
  })
  consumed: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 750,
    description: 'The unused part of the limit, at least 0. Null if there is no limit.',
  })
  remaining: number | null;
  @ApiProperty({
    example: 'unit',
    description:
      "The pricing model by which the subscription that gives the feature charges for the feature's metric. `none` if the subscription does " +
      'not charge for the metric, or if the feature has no metric.',
  })
  pricingModel: string;
}

export class CustomerEntitlementsView {
  @ApiProperty({ example: 'cust_northwind', description: 'The id of the customer.' }) customerId: string;
  @ApiProperty({ type: [EntitlementView], description: 'The features that the customer has.' })
  entitlements: EntitlementView[];
}

@BodyExample({
  featureId: 'tokens',
  limit: 5_000,
  reason: 'Trial of the larger plan',
  expiresAt: '2099-12-31T00:00:00Z',
})
export class GrantEntitlementBody {
  @IdField({ example: 'tokens', description: 'The id of the feature, as in the plans.' })
  featureId: string;

  @DecimalField({
    min: 0,
    optional: true,
    nullable: true,
    example: 5_000,
    description: 'The limit of a numeric feature. Default null: no limit.',
  })
  limit?: string | null;

  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Trial of the larger plan',
    description: 'The reason for the grant, as a note for yourself.',
  })
  reason?: string | null;

  @InstantField({
    optional: true,
    nullable: true,
    example: '2099-12-31T00:00:00Z',
    description:
      'The time from which the grant has no effect. If null (the default), the grant never expires.',
  })
  expiresAt?: string | null;
}

export class EntitlementGrantView {
  @ApiProperty({ example: 'entgrant_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'tokens', description: 'The id of the feature.' }) featureId: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 5_000,
    description: 'The limit of a numeric feature. Null if there is no limit.',
  })
  limit: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Trial of the larger plan',
    description: 'The reason for the grant, as a note for yourself.',
  })
  reason: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time from which the grant has no effect. Null if the grant never expires.',
  })
  expiresAt: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

/** An entitlement grant in the export of a customer's data. */
export class ExportedEntitlementGrantView extends EntitlementGrantView {
  @ApiProperty({ example: false, description: 'Whether the grant was removed.' }) removed: boolean;
}

export class EntitlementGrantList extends ListView {
  @ApiProperty({ type: [EntitlementGrantView] }) data: EntitlementGrantView[];
}
