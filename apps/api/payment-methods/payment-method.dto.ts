import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TEST_METHOD_NAMES, TEST_METHODS, type TestMethodName } from '#libs/contexts/payments';
import { BodyExample, ChoiceField, IntegerField, ListView } from '../http/index.js';

const behaviours = TEST_METHOD_NAMES.map((name) => `\`${name}\` ${TEST_METHODS[name].description}`).join(
  '; ',
);

@BodyExample({ type: 'test', test: 'pm_card_visa' })
export class CreatePaymentMethodBody {
  @ChoiceField(['test'], { description: 'Test methods, in sandbox workspaces alone.' })
  type: 'test';

  @ChoiceField(TEST_METHOD_NAMES, { description: `How it behaves: ${behaviours}.`, example: 'pm_card_visa' })
  test: TestMethodName;

  @IntegerField({
    min: 1,
    max: 100,
    optional: true,
    description:
      'For `pm_card_declineThenSucceed`, which needs it: attempts on an invoice that are declined first.',
    example: 1,
  })
  declines?: number;
}

export class PaymentMethodView {
  @ApiProperty({ example: 'pm_01HZX3…' }) id: string;
  @ApiProperty({ enum: ['test'] }) type: string;
  @ApiProperty({ enum: TEST_METHOD_NAMES, description: 'How it behaves.' }) test: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'For `pm_card_declineThenSucceed`: attempts that are declined first.',
    example: 1,
  })
  declines?: number;
  @ApiProperty({ example: 'Visa ending 4242', description: 'What people call it.' }) label: string;
  @ApiProperty({ description: 'Whether invoices are charged to it.', example: true }) default: boolean;
}

export class PaymentMethodList extends ListView {
  @ApiProperty({ type: [PaymentMethodView] }) data: PaymentMethodView[];
}
