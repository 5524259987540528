import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  TEST_PAYMENT_METHOD_NAMES,
  TEST_PAYMENT_METHODS,
  type TestPaymentMethodName,
} from '#libs/contexts/payments';
import { BodyExample, ChoiceField, IntegerField, ListView } from '../http/index.js';

const behaviours = TEST_PAYMENT_METHOD_NAMES.map(
  (name) => `\`${name}\` ${TEST_PAYMENT_METHODS[name].description}`,
).join('; ');

@BodyExample({ type: 'test', test: 'pm_card_visa' })
export class CreatePaymentMethodBody {
  @ChoiceField(['test'], { description: '`test`: a test method, only in sandbox workspaces.' })
  type: 'test';

  @ChoiceField(TEST_PAYMENT_METHOD_NAMES, {
    description: `How the test method behaves: ${behaviours}.`,
    example: 'pm_card_visa',
  })
  test: TestPaymentMethodName;

  @IntegerField({
    min: 1,
    max: 100,
    optional: true,
    description:
      'The number of attempts on an invoice that are declined first. Required for `pm_card_declineThenSucceed`.',
    example: 1,
  })
  declines?: number;
}

export class PaymentMethodView {
  @ApiProperty({ example: 'pm_01HZX3…' }) id: string;
  @ApiProperty({ enum: ['test'] }) type: string;
  @ApiProperty({ enum: TEST_PAYMENT_METHOD_NAMES, description: 'How the test method behaves.' }) test: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The number of attempts that are declined first, for `pm_card_declineThenSucceed`.',
    example: 1,
  })
  declines?: number;
  @ApiProperty({ example: 'Visa ending 4242', description: 'A name for people.' }) label: string;
  @ApiProperty({ description: 'Whether invoices are charged to this payment method.', example: true })
  default: boolean;
}

export class PaymentMethodList extends ListView {
  @ApiProperty({ type: [PaymentMethodView] }) data: PaymentMethodView[];
}
