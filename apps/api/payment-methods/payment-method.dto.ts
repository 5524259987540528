import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  TEST_PAYMENT_METHOD_NAMES,
  TEST_PAYMENT_METHODS,
  type TestPaymentMethodName,
} from '#libs/contexts/payments';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  IntegerField,
  ListView,
  OneOf,
  RuleField,
} from '../http/index.js';

/** Returns whether a value is an absolute URL that a browser can open, without a user name and password. */
function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

const behaviours = TEST_PAYMENT_METHOD_NAMES.map(
  (name) => `\`${name}\` ${TEST_PAYMENT_METHODS[name].description}`,
).join('; ');

@OneOf(
  [
    {
      name: 'CreateTestPaymentMethodBody',
      discriminatorValue: 'test',
      required: ['test'],
      optional: ['declines', 'payOpenInvoices'],
      description: 'A test payment method, only in sandbox workspaces.',
    },
    {
      name: 'CreateCardBody',
      discriminatorValue: 'card',
      required: ['returnUrl'],
      optional: ['payOpenInvoices'],
      description: 'A card that the customer enters on a page of Stripe, only in live workspaces.',
    },
  ],
  'type',
)
@BodyExample({ type: 'test', test: 'pm_card_visa' })
export class CreatePaymentMethodBody {
  @ChoiceField(['test', 'card'], {
    description:
      '`test`: a test payment method, only in sandbox workspaces. `card`: a card, only in live workspaces.',
  })
  type: 'test' | 'card';

  @ChoiceField(TEST_PAYMENT_METHOD_NAMES, {
    optional: true,
    description: `How the test method behaves: ${behaviours}. Required for the type \`test\`.`,
    example: 'pm_card_visa',
  })
  test?: TestPaymentMethodName;

  @IntegerField({
    min: 1,
    max: 100,
    optional: true,
    description:
      'The number of payment attempts on an invoice that are declined before an attempt succeeds. Required for ' +
      '`pm_card_declineThenSucceed`.',
    example: 1,
  })
  declines?: number;

  @RuleField('returnUrl', { type: String, format: 'uri', maxLength: 2_000 }, isWebAddress, {
    optional: true,
    message: 'must be a URL of at most 2,000 characters that begins with https:// or http://',
    description:
      'The URL to which the customer returns from the page, with `card=saved` or `card=not_saved` added. Required for the type `card`. ' +
      'It must begin with https and have a host of the `returnHosts` of the payment gateway.',
    example: 'https://shop.example.com/account',
  })
  returnUrl?: string;

  @BooleanField({
    optional: true,
    description:
      'Whether the customer agrees that the payment method pays the open invoices of the customer as soon as it is added. Default: false.',
    example: true,
  })
  payOpenInvoices?: boolean;
}

/** The page where the customer enters a card. */
export class CardPageView {
  @ApiProperty({
    example: 'pm_01HZX3…',
    description: 'The id that the payment method will have when the card is saved.',
  })
  paymentMethodId: string;
  @ApiProperty({
    example: 'https://checkout.stripe.com/c/pay/cs_live_example',
    description: 'The URL of the page, which works for 24 hours.',
  })
  url: string;
}

@OneOf(
  [
    {
      name: 'TestPaymentMethodView',
      discriminatorValue: 'test',
      required: ['test'],
      optional: ['declines'],
      description: 'A test method of a sandbox.',
    },
    {
      name: 'CardView',
      discriminatorValue: 'card',
      required: ['expiryMonth', 'expiryYear'],
      description: 'A card that the payment processor stores.',
    },
  ],
  'type',
)
export class PaymentMethodView {
  @ApiProperty({ example: 'pm_01HZX3…' }) id: string;
  @ApiProperty({ enum: ['test', 'card'] }) type: 'test' | 'card';
  @ApiPropertyOptional({
    enum: TEST_PAYMENT_METHOD_NAMES,
    description: 'How the test method behaves. Absent for a card.',
  })
  test?: string;
  /** The configured number of simulated declines of a test method. It does not count the declines that have happened. */
  @ApiPropertyOptional({
    type: 'integer',
    description:
      'The number of payment attempts that are declined before an attempt succeeds. Absent for other methods than ' +
      '`pm_card_declineThenSucceed`.',
    example: 1,
  })
  declines?: number;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The expiry month of the card; the card is valid until the end of this month.',
    example: 12,
  })
  expiryMonth?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'The expiry year of the card.', example: 2030 })
  expiryYear?: number;
  @ApiProperty({ example: 'Visa ending 4242', description: 'The name of the payment method, for display.' })
  label: string;
  @ApiProperty({ description: 'Whether invoices are charged to this payment method.', example: true })
  default: boolean;
}

export class PaymentMethodList extends ListView {
  @ApiProperty({ type: [PaymentMethodView] }) data: PaymentMethodView[];
}
