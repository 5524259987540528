import { ApiProperty } from '@nestjs/swagger';
import type { Seller } from '#libs/contexts/invoicing';
import {
  BicField,
  EmailField,
  IbanField,
  SingleLineField,
  ObjectField,
  PostalAddressBody,
  PostalAddressView,
  readAddress,
  VatIdField,
} from '../http/index.js';

export class BankAccountBody {
  @IbanField()
  iban: string;

  @BicField({ optional: true, nullable: true })
  bic?: string | null;
}

export class SellerBody {
  @SingleLineField({
    max: 200,
    optional: true,
    nullable: true,
    example: 'Contoso GmbH',
    description: "The registered name of the seller; by default the workspace's name.",
  })
  legalName?: string | null;

  @ObjectField(() => PostalAddressBody, { optional: true, nullable: true })
  address?: PostalAddressBody | null;

  @VatIdField({ optional: true, nullable: true, description: 'The VAT identification number.' })
  taxId?: string | null;

  @SingleLineField({
    max: 50,
    optional: true,
    nullable: true,
    example: 'HRB 1234 B',
    description:
      "The number in the trade register, or in the corresponding register of the seller's country.",
  })
  registrationNumber?: string | null;

  @EmailField({
    optional: true,
    nullable: true,
    description: 'The e-mail address for questions about invoices.',
  })
  email?: string | null;

  @SingleLineField({ max: 50, optional: true, nullable: true, example: '+49 30 1234567' })
  phone?: string | null;

  @ObjectField(() => BankAccountBody, {
    optional: true,
    nullable: true,
    description: 'The bank account for transfers.',
  })
  bankAccount?: BankAccountBody | null;
}

export class BankAccountView {
  @ApiProperty({ example: 'DE89370400440532013000' }) iban: string;
  @ApiProperty({ type: String, nullable: true, example: 'COBADEFFXXX' }) bic: string | null;
}

export class SellerView {
  @ApiProperty({ type: String, nullable: true, example: 'Contoso GmbH' }) legalName: string | null;
  @ApiProperty({ type: PostalAddressView, nullable: true }) address: PostalAddressView | null;
  @ApiProperty({ type: String, nullable: true, example: 'DE123456789' }) taxId: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'HRB 1234 B' }) registrationNumber: string | null;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
  @ApiProperty({ type: String, nullable: true }) phone: string | null;
  @ApiProperty({ type: BankAccountView, nullable: true }) bankAccount: BankAccountView | null;
}

/** Converts a seller from a request into the form that is stored. A field that was left out becomes null. */
export function readSeller(body: SellerBody): Seller {
  const { legalName = null, taxId = null, registrationNumber = null, email = null, phone = null } = body;
  const { address, bankAccount } = body;
  return {
    ...{ legalName, taxId, registrationNumber, email, phone },
    address: address ? readAddress(address) : null,
    bankAccount: bankAccount ? { iban: bankAccount.iban, bic: bankAccount.bic ?? null } : null,
  };
}
