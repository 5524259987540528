import { ApiProperty } from '@nestjs/swagger';
import { PORTAL_SESSION_SECONDS } from '#libs/contexts/identity';
import {
  BodyExample,
  BooleanField,
  IdField,
  IntegerField,
  ListView,
  ObjectField,
  PageQuery,
} from '../http/index.js';

/** The greatest number of units that a portal session can allow. */
const MAX_UNITS = 1_000_000;

/** The limits of the units that a customer may choose. */
class QuantityLimitsBody {
  @IntegerField({ min: 0, max: MAX_UNITS, example: 1, description: 'The least number of units of a fee.' })
  minimum: number;

  @IntegerField({
    min: 1,
    max: MAX_UNITS,
    example: 50,
    description: 'The greatest number of units of a fee.',
  })
  maximum: number;
}

export class QuantityLimitsView {
  @ApiProperty({ type: 'integer', description: 'The least number of units of a fee.', example: 1 })
  minimum: number;
  @ApiProperty({ type: 'integer', description: 'The greatest number of units of a fee.', example: 50 })
  maximum: number;
}

/** Declares the field of a view with the limits of the units that a customer may choose. */
export function QuantityLimitsProperty(): PropertyDecorator {
  return ApiProperty({
    type: QuantityLimitsView,
    nullable: true,
    description:
      'The limits of the units that the customer may choose for each fee per unit of a new plan. Null if the customer may not choose units.',
  });
}

@BodyExample({
  customerId: 'cust_northwind',
  expiresInSeconds: 1_800,
  allowPlanChanges: true,
  quantityLimits: { minimum: 1, maximum: 50 },
  allowCreditPurchases: true,
})
export class CreatePortalSessionBody {
  @IdField({
    example: 'cust_northwind',
    description: 'The id of the customer. The portal session gives access to no other customer.',
  })
  customerId: string;

  @IntegerField({
    min: PORTAL_SESSION_SECONDS.min,
    max: PORTAL_SESSION_SECONDS.max,
    optional: true,
    example: 1_800,
    description:
      `The time in seconds for which the token is valid. Default ${PORTAL_SESSION_SECONDS.default}. The time is real time, also in a ` +
      `sandbox. If your API key expires earlier, the token expires with it.`,
  })
  expiresInSeconds?: number;

  @BooleanField({
    optional: true,
    description:
      'Whether the customer may switch to another public plan in the currency of the subscription. To set this field, you need the ' +
      'permission `subscriptions:write`. Default false.',
    example: true,
  })
  allowPlanChanges?: boolean;

  @ObjectField(() => QuantityLimitsBody, {
    optional: true,
    description:
      'Lets the customer choose the units of the fees of a new plan, as a whole number of units for each fee. Needs `allowPlanChanges`. By ' +
      'default, the customer may not choose units, and the units of the present plan go to the new plan.',
  })
  quantityLimits?: QuantityLimitsBody;

  @BooleanField({
    optional: true,
    description:
      'Whether the customer may buy credits, which are invoiced to the customer. To set this field, you need the permission ' +
      '`credits:write`. Default false.',
    example: true,
  })
  allowCreditPurchases?: boolean;
}

export class PortalSessionQuery extends PageQuery {
  @IdField({ optional: true, description: 'Only sessions of this customer.', example: 'cust_northwind' })
  customerId?: string;
}

export class PortalSessionView {
  @ApiProperty({ example: 'pses_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ description: 'Whether the customer may switch to another plan.', example: true })
  allowPlanChanges: boolean;
  @QuantityLimitsProperty()
  quantityLimits: QuantityLimitsView | null;
  @ApiProperty({ description: 'Whether the customer may buy credits.', example: true })
  allowCreditPurchases: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    format: 'date-time',
    description:
      'The time from which the token of the portal session is refused. The time is real time, also in a sandbox.',
  })
  expiresAt: string;
}

/** A portal session in the export of a customer's data. */
export class ExportedPortalSessionView extends PortalSessionView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The time when the session was revoked. Null if the session was not revoked.',
  })
  revokedAt: string | null;
}

export class NewPortalSessionView extends PortalSessionView {
  @ApiProperty({
    description:
      'The token, for the browser of the customer. The token is shown again only if the request is repeated with the same ' +
      '`Idempotency-Key`.',
    example: 'portal_…',
  })
  token: string;
}

export class PortalSessionList extends ListView {
  @ApiProperty({ type: [PortalSessionView] }) data: PortalSessionView[];
}
