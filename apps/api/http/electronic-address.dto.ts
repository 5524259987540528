import { ApiProperty } from '@nestjs/swagger';
import { ELECTRONIC_ADDRESS_SCHEMES } from '#libs/kernel/core';
import { ChoiceField, SingleLineField } from './fields/index.js';

const SCHEME =
  'The scheme of the id, from the code list EAS: `0204` for a Leitweg-ID, `0088` for a GLN, `9930` for a German VAT id, `EM` for e-mail.';

/** The address of a party in a network for e-invoices. */
export class ElectronicAddressBody {
  @ChoiceField(ELECTRONIC_ADDRESS_SCHEMES, { description: SCHEME })
  scheme: string;

  @SingleLineField({ max: 254, example: '04011000-1234512345-06', description: 'The id in this scheme.' })
  id: string;
}

export class ElectronicAddressView {
  @ApiProperty({ example: '0204', description: SCHEME }) scheme: string;
  @ApiProperty({ example: '04011000-1234512345-06', description: 'The id in this scheme.' }) id: string;
}
