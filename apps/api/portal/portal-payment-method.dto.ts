import { ApiProperty } from '@nestjs/swagger';
import { ListView } from '../http/index.js';

export class PortalPaymentMethodView {
  @ApiProperty({ example: 'pm_01HZX3…' }) id: string;
  @ApiProperty({
    enum: ['test', 'card'],
    description: 'The type. A payment method of the type `test` exists only in a sandbox.',
  })
  type: 'test' | 'card';
  @ApiProperty({ example: 'Visa ending 4242', description: 'The name of the payment method, for display.' })
  label: string;
  @ApiProperty({ description: 'Whether invoices are charged to this payment method.', example: true })
  default: boolean;
}

export class PortalPaymentMethodList extends ListView {
  @ApiProperty({ type: [PortalPaymentMethodView] }) data: PortalPaymentMethodView[];
}
