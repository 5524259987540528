import { ApiProperty } from '@nestjs/swagger';
import { GO_LIVE_CHECKS, GO_LIVE_STATUSES } from '#libs/contexts/go-live';
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
    description: 'Only checks, and makes nothing. By default false.',
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

export class GoLiveView {
  @ApiProperty({ type: [GoLiveCheckView], description: 'What was checked.' }) checks: GoLiveCheckView[];
  @ApiProperty({
    ...{ type: LiveWorkspaceView, nullable: true },
    description: 'The live workspace. Null if a check failed, or for a preview.',
  })
  live: LiveWorkspaceView | null;
}
