import { ApiProperty } from '@nestjs/swagger';
import { BodyExample, ChoiceField, IdField, RuleField } from '../http/index.js';

const SECRET_KEY = /^(?:sk|rk)_(?:test|live)_[A-Za-z0-9]{8,240}$/;
/** The maximum number of hosts to which customers of a workspace may return. */
const MAX_RETURN_HOSTS = 20;
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=_-]{8,240}$/;

/** An optional request field for the secret key of Stripe. */
export function SecretKeyField(description: string): PropertyDecorator {
  return RuleField(
    'stripeSecretKey',
    { type: String, maxLength: 260 },
    (value) => typeof value === 'string' && SECRET_KEY.test(value),
    {
      optional: true,
      description,
      example: 'sk_live_51Pexample00000000',
      message:
        'must be a secret key of Stripe: sk_live_, rk_live_, sk_test_ or rk_test_, followed by 8 to 240 letters and digits',
    },
  );
}

@BodyExample({
  provider: 'stripe',
  secretKey: 'sk_live_51Pexample00000000',
  webhookSecret: 'whsec_example00000000',
  returnHosts: ['shop.example.com'],
})
export class ConnectPaymentGatewayBody {
  @ChoiceField(['stripe'], { description: 'The payment processor.' })
  provider: 'stripe';

  @SecretKeyField(
    'The secret key of the Stripe account. It is checked with a request to Stripe and stored encrypted, and no answer shows it. Required ' +
      'until a gateway is connected; a key that is left out stays as it is.',
  )
  secretKey?: string;

  @RuleField(
    'stripeWebhookSecret',
    { type: String, maxLength: 260 },
    (value) => typeof value === 'string' && WEBHOOK_SECRET.test(value),
    {
      optional: true,
      message:
        'must be the signing secret of the webhook endpoint in Stripe: whsec_, followed by 8 to 240 characters',
      description:
        'The signing secret of the webhook endpoint in Stripe, for the address `webhookUrl`. The secret is stored encrypted. If this ' +
        'field is left out, the stored secret stays as it is.',
      example: 'whsec_example00000000',
    },
  )
  webhookSecret?: string;

  @RuleField(
    'returnHosts',
    { type: 'array', items: { type: 'string', maxLength: 253 }, maxItems: MAX_RETURN_HOSTS },
    (value) => Array.isArray(value) && value.length <= MAX_RETURN_HOSTS && value.every(isHostName),
    {
      optional: true,
      message: `must be a list of at most ${MAX_RETURN_HOSTS} host names in lower case without port, such as ["shop.example.com"]`,
      description:
        'The hosts to which customers may return from the page for a card. The `returnUrl` of a card must be an https URL with one of these ' +
        'hosts. If this field is left out, the list stays as it is.',
      example: ['shop.example.com'],
    },
  )
  returnHosts?: string[];
}

function isHostName(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 253) return false;
  return URL.canParse(`https://${value}/`) && new URL(`https://${value}/`).host === value;
}

export class PaymentGatewayView {
  @ApiProperty({
    enum: ['stripe', null],
    type: String,
    nullable: true,
    description: 'The payment processor. Null if none is connected.',
  })
  provider: 'stripe' | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'acct_1Pexample',
    description: 'The id of the account at the payment processor.',
  })
  accountId: string | null;
  @ApiProperty({
    enum: ['test', 'live', null],
    type: String,
    nullable: true,
    description: 'In the mode `test`, charges move no money.',
  })
  mode: 'test' | 'live' | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '4242',
    description: 'The last four characters of the secret key.',
  })
  secretKeyLast4: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the secret key was set and Stripe accepted it.',
  })
  checkedAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The time since which Stripe refuses the secret key. Charges and refunds wait until a valid key is set. Null while Stripe accepts ' +
      'the key, and if no payment gateway is connected.',
  })
  keyRefusedAt: string | null;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description:
      'The number of charges, refunds and other requests that got no usable answer of the payment gateway. They are attempted again by ' +
      'themselves.',
  })
  waitingRequests: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The time of the next attempt of a waiting request. The time is past while this attempt is being made. Null if no request waits.',
  })
  nextAttemptAt: string | null;
  @ApiProperty({
    example: 'https://billing.example.com/v1/gateways/stripe/events?workspace=acc_01HZX3',
    description: 'The URL of the webhook endpoint to register in Stripe.',
  })
  webhookUrl: string;
  @ApiProperty({
    type: [String],
    example: ['shop.example.com'],
    description: 'The hosts to which customers may return from the page for a card.',
  })
  returnHosts: string[];
  @ApiProperty({ example: true, description: 'Whether the signing secret of the webhook endpoint is set.' })
  webhookSecretSet: boolean;
}

export class StripeEventsQuery {
  @IdField({
    description: 'The id of the workspace that the webhook endpoint belongs to.',
    example: 'acc_01HZX3',
  })
  workspace: string;
}

export class StripeEventReceivedView {
  @ApiProperty({
    example: true,
    description: 'Always true: the event was processed or ignored, by this request or an earlier one.',
  })
  received: boolean;
}

/** The customer object that Stripe has for a customer of the workspace. */
export class StripeCustomerView {
  @ApiProperty({ example: 'acct_1Pexample', description: 'The account at Stripe.' }) accountId: string;
  @ApiProperty({ enum: ['test', 'live'], description: 'The mode of the account.' }) mode: 'test' | 'live';
  @ApiProperty({ example: 'cus_Pexample', description: 'The id of the customer at Stripe.' })
  stripeCustomerId: string;
}
