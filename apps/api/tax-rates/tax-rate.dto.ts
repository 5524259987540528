import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, DecimalField, SingleLineField, ListView, TextField } from '../http/index.js';

export class CreateTaxRateBody {
  @SingleLineField({
    max: 50,
    example: 'VAT',
    description: 'The name of the tax rate, which invoices print beside the percentage.',
  })
  name: string;

  @DecimalField({ min: 0, max: 100, example: 19, description: 'The rate, in percent.' })
  percentage: string;

  @BooleanField({
    optional: true,
    description: 'Whether prices already contain the tax. Default false: the tax is added to the prices.',
  })
  inclusive?: boolean;

  @TextField({
    max: 500,
    optional: true,
    nullable: true,
    description: 'A note for yourself, which invoices and other documents do not print.',
    example: 'The standard rate in Germany',
  })
  description?: string | null;
}

export class TaxRateView {
  @ApiProperty({ example: 'tax_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'VAT', description: 'The name of the tax rate, which invoices print.' })
  name: string;
  @ApiProperty({ type: Number, example: 19 }) percentage: number;
  @ApiProperty() inclusive: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A note for yourself, which invoices and other documents do not print.',
    example: null,
  })
  description: string | null;
  @ApiProperty({
    description:
      'True if nobody can assign the tax rate any more. Customers, prices and billing settings that have the tax rate keep it.',
    example: false,
  })
  archived: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class TaxRateList extends ListView {
  @ApiProperty({ type: [TaxRateView] }) data: TaxRateView[];
}
