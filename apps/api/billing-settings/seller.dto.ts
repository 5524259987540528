import { ApiProperty } from '@nestjs/swagger';
import type { Seller } from '#libs/contexts/invoicing';
import {
  BicField,
  ElectronicAddressBody,
  ElectronicAddressView,
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
    example: '30/123/45678',
    description:
      'The number that the tax office gave the seller, for invoices of a seller without a VAT identification number.',
  })
  taxNumber?: string | null;

  @SingleLineField({
    max: 200,
    optional: true,
    nullable: true,
    example: null,
    description:
      'The reason why the seller charges no tax to anybody, such as the exemption of small businesses (in Germany § 19 UStG). If set, ' +
      'new invoices have no tax and print the reason.',
  })
  taxExemptReason?: string | null;

  @SingleLineField({
    max: 50,
    optional: true,
    nullable: true,
    example: 'HRB 1234 B',
    description:
      "The number in the trade register, or in the corresponding register of the seller's country.",
  })
  registrationNumber?: string | null;

  @SingleLineField({
    max: 100,
    optional: true,
    nullable: true,
    example: 'Accounts receivable',
    description: 'The person or department for questions about invoices, in e-invoices.',
  })
  contactName?: string | null;

  @EmailField({
    optional: true,
    nullable: true,
    description: 'The e-mail address for questions about invoices.',
  })
  email?: string | null;

  @SingleLineField({ max: 50, optional: true, nullable: true, example: '+49 30 1234567' })
  phone?: string | null;

  @ObjectField(() => ElectronicAddressBody, {
    optional: true,
    nullable: true,
    description: 'The address in a network for e-invoices, such as Peppol. Default: `email`.',
  })
  electronicAddress?: ElectronicAddressBody | null;

  @ObjectField(() => BankAccountBody, {
    optional: true,
    nullable: true,
    description:
      'The bank account for transfers. A QR-IBAN needs an `address` with a `postalCode`, because it can only be paid by a QR-bill.',
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
  @ApiProperty({
    type: String,
    nullable: true,
    example: '30/123/45678',
    description: 'The number that the tax office gave the seller.',
  })
  taxNumber: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason why the seller charges no tax to anybody.',
  })
  taxExemptReason: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Accounts receivable',
    description: 'The person or department for questions about invoices.',
  })
  contactName: string | null;
  @ApiProperty({
    type: ElectronicAddressView,
    nullable: true,
    description: 'The address in a network for e-invoices. Null: `email`.',
  })
  electronicAddress: ElectronicAddressView | null;
  @ApiProperty({ type: String, nullable: true, example: 'HRB 1234 B' }) registrationNumber: string | null;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
  @ApiProperty({ type: String, nullable: true }) phone: string | null;
  @ApiProperty({ type: BankAccountView, nullable: true }) bankAccount: BankAccountView | null;
}

/** Converts a seller from a request into the form that is stored. A field that was left out becomes null. */
export function readSeller(body: SellerBody): Seller {
  const { legalName = null, taxId = null, registrationNumber = null, email = null, phone = null } = body;
  const { taxNumber = null, taxExemptReason = null, contactName = null, electronicAddress = null } = body;
  const { address, bankAccount } = body;
  return {
    legalName,
    taxId,
    taxNumber,
    taxExemptReason,
    registrationNumber,
    contactName,
    email,
    phone,
    electronicAddress: electronicAddress && { scheme: electronicAddress.scheme, id: electronicAddress.id },
    address: address ? readAddress(address) : null,
    bankAccount: bankAccount ? { iban: bankAccount.iban, bic: bankAccount.bic ?? null } : null,
  };
}
