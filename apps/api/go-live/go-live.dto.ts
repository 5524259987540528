import { ApiProperty } from '@nestjs/swagger';
import { COPIED_TYPES, GO_LIVE_CHECKS, GO_LIVE_CHECK_STATUSES } from '#libs/contexts/go-live';
import { BodyExample, BooleanField, EmailField } from '../http/index.js';
import { SecretKeyField } from '../payment-gateway/payment-gateway.dto.js';

@BodyExample({ adminEmail: 'billing@contoso.example', secretKey: 'sk_live_51Pexample00000000' })
export class GoLiveBody {
  @EmailField({
    example: 'billing@contoso.example',
    description:
      'The e-mail address of the first admin of the live workspace, who gets an invitation. An e-mail address can belong to only one ' +
      'workspace.',
  })
  adminEmail: string;

  @SecretKeyField(
    'The secret key of the Stripe account. The key is checked with a request to Stripe, and connected to the live workspace. Without the ' +
      'key, the check `payment_gateway` fails unless `withoutPaymentGateway` is true.',
  )
  secretKey?: string;

  @BooleanField({
    optional: true,
    example: false,
    description:
      'If true and without a `secretKey`, the live workspace starts without a payment gateway, so that no card can be charged. False by ' +
      'default.',
  })
  withoutPaymentGateway?: boolean;

  @BooleanField({
    optional: true,
    example: true,
    description:
      'If true, copies the catalog to the live workspace: metrics, prices, plans, coupons, credit types and tax rates. A plan is copied in ' +
      'its published version. Deactivated coupons, archived tax rates and ended credit rates are not copied. False by default.',
  })
  copyCatalog?: boolean;

  @BooleanField({
    optional: true,
    example: true,
    description: 'If true, only runs the checks, and does not create the live workspace. False by default.',
  })
  preview?: boolean;
}

class GoLiveCheckView {
  @ApiProperty({ enum: GO_LIVE_CHECKS, description: 'The name of the check.' })
  check: (typeof GO_LIVE_CHECKS)[number];
  @ApiProperty({
    enum: GO_LIVE_CHECK_STATUSES,
    description:
      'A check with the status `failed` prevents going live. A check with the status `warning` does not prevent it.',
  })
  status: (typeof GO_LIVE_CHECK_STATUSES)[number];
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The steps to fix the problem. Null if the check is ok.',
  })
  remedy: string | null;
}

class LiveWorkspaceView {
  @ApiProperty({ example: 'acc_01HZX3…', description: 'The id of the live workspace.' }) accountId: string;
  @ApiProperty({
    example: 'svc_…',
    description:
      'An API key of the live workspace with the role `admin`. The key is shown again only if the request is repeated with the same ' +
      '`Idempotency-Key`.',
  })
  apiKey: string;
}

class CopiedResourceView {
  @ApiProperty({ enum: COPIED_TYPES, description: 'The type of the resource that was copied.' })
  type: (typeof COPIED_TYPES)[number];
  @ApiProperty({ example: 'plan_01HZX3…', description: 'The id in the sandbox.' }) sandboxId: string;
  @ApiProperty({
    example: 'plan_4a8c…',
    description:
      'The id of the copy in the live workspace. A copied coupon or credit type has the same id as in the sandbox.',
  })
  liveId: string;
}

class SkippedResourceView {
  @ApiProperty({ enum: COPIED_TYPES, description: 'The type of the resource that was not copied.' })
  type: (typeof COPIED_TYPES)[number];
  @ApiProperty({ example: 'summer-2025', description: 'The id in the sandbox.' }) sandboxId: string;
  @ApiProperty({
    example: 'expiresAt: must be in the future; it is 2026-01-01T00:00:00.000Z',
    description: 'The reason why the resource was not copied.',
  })
  reason: string;
}

class CopiedCatalogView {
  @ApiProperty({
    type: [CopiedResourceView],
    description:
      'The resources of the sandbox that have a copy in the live workspace now. The copies of an earlier request are included.',
  })
  copied: readonly CopiedResourceView[];
  @ApiProperty({
    type: [SkippedResourceView],
    description:
      'The resources that could not be copied, with the reasons. Deactivated coupons, archived tax rates and ended credit rates are not in ' +
      'the list.',
  })
  skipped: readonly SkippedResourceView[];
}

/** The result of going live, or of its preview: the checks, the live workspace, and the resources that were copied to it. */
export class GoLiveResultView {
  @ApiProperty({ type: [GoLiveCheckView], description: 'The checks and their results.' })
  checks: readonly GoLiveCheckView[];
  @ApiProperty({
    type: LiveWorkspaceView,
    nullable: true,
    description: 'The live workspace. Null if a check failed, or if the request was only a preview.',
  })
  live: LiveWorkspaceView | null;
  @ApiProperty({
    type: CopiedCatalogView,
    nullable: true,
    description: 'The copy of the catalog. Null without `copyCatalog`, if a check failed, or for a preview.',
  })
  catalog: CopiedCatalogView | null;
}
