import { ApiProperty } from '@nestjs/swagger';
import { COPIED_TYPES, GO_LIVE_CHECKS, GO_LIVE_STATUSES } from '#libs/contexts/go-live';
import { BodyExample, BooleanField, EmailField } from '../http/index.js';
import { SecretKeyField } from '../payment-gateway/payment-gateway.dto.js';

@BodyExample({ adminEmail: 'billing@contoso.example', secretKey: 'sk_live_51Pexample00000000' })
export class GoLiveBody {
  @EmailField({
    example: 'billing@contoso.example',
    description:
      'The address of the first admin of the live workspace, who gets an invitation. An address belongs to one workspace only.',
  })
  adminEmail: string;

  @SecretKeyField(
    'The secret key of the Stripe account. It is checked with a request to Stripe, and connected to the live workspace.',
  )
  secretKey?: string;

  @BooleanField({
    optional: true,
    example: false,
    description: 'Starts without a payment gateway, so that no card can be charged. By default false.',
  })
  withoutPaymentGateway?: boolean;

  @BooleanField({
    optional: true,
    example: true,
    description:
      'Copies the catalog to the live workspace: metrics, prices, plans, coupons, credit types and tax rates. By default false: the catalog stays behind.',
  })
  copyCatalog?: boolean;

  @BooleanField({
    optional: true,
    example: true,
    description: 'Only runs the checks, and does not create the live workspace. By default false.',
  })
  preview?: boolean;
}

class GoLiveCheckView {
  @ApiProperty({ enum: GO_LIVE_CHECKS, description: 'What was checked.' }) check: string;
  @ApiProperty({ enum: GO_LIVE_STATUSES, description: '`failed` prevents going live. A `warning` does not.' })
  status: string;
  @ApiProperty({
    ...{ type: String, nullable: true, example: null },
    description: 'What to do. Null if the check is ok.',
  })
  remedy: string | null;
}

class LiveWorkspaceView {
  @ApiProperty({ example: 'acc_01HZX3…', description: 'The id of the live workspace.' }) accountId: string;
  @ApiProperty({
    example: 'svc_…',
    description:
      'An API key of the live workspace with the role `admin`. Only the same request with the same `Idempotency-Key` shows it again.',
  })
  apiKey: string;
}

class CopiedResourceView {
  @ApiProperty({ enum: COPIED_TYPES, description: 'What was copied.' }) type: string;
  @ApiProperty({ example: 'plan_01HZX3…', description: 'The id in the sandbox.' }) sandboxId: string;
  @ApiProperty({
    example: 'plan_4a8c…',
    description: 'The id in the live workspace. Coupons and credit types have the same id there.',
  })
  liveId: string;
}

class SkippedResourceView {
  @ApiProperty({ enum: COPIED_TYPES, description: 'What was not copied.' }) type: string;
  @ApiProperty({ example: 'summer-2025', description: 'The id in the sandbox.' }) sandboxId: string;
  @ApiProperty({
    example: 'expiresAt: must be in the future; it is 2026-01-01T00:00:00.000Z',
    description: 'Why it was not copied.',
  })
  reason: string;
}

class CopiedCatalogView {
  @ApiProperty({
    type: [CopiedResourceView],
    description: 'What the live workspace has now, also from an earlier request.',
  })
  copied: CopiedResourceView[];
  @ApiProperty({ type: [SkippedResourceView], description: 'What was not copied.' })
  skipped: SkippedResourceView[];
}

/** The result of going live, or of its preview: the checks, the live workspace, and what was copied to it. */
export class GoLiveResultView {
  @ApiProperty({ type: [GoLiveCheckView], description: 'What was checked.' }) checks: GoLiveCheckView[];
  @ApiProperty({
    ...{ type: LiveWorkspaceView, nullable: true },
    description: 'The live workspace. Null if a check failed, or for a preview.',
  })
  live: LiveWorkspaceView | null;
  @ApiProperty({
    ...{ type: CopiedCatalogView, nullable: true },
    description: 'The copy of the catalog. Null without `copyCatalog`, if a check failed, or for a preview.',
  })
  catalog: CopiedCatalogView | null;
}
