import { ApiProperty } from '@nestjs/swagger';
import type { PostalAddress } from '#libs/kernel/core';
import { CountryField, SingleLineField } from './fields/index.js';

export class PostalAddressBody {
  @SingleLineField({ max: 200, example: 'Hauptstr. 1', description: 'Street and number, or a post box.' })
  line1: string;

  @SingleLineField({
    max: 200,
    optional: true,
    nullable: true,
    example: null,
    description: 'Floor, department.',
  })
  line2?: string | null;

  @SingleLineField({ max: 100, example: 'Berlin' })
  city: string;

  @SingleLineField({ max: 20, optional: true, nullable: true, example: '10115' })
  postalCode?: string | null;

  @SingleLineField({
    max: 100,
    optional: true,
    nullable: true,
    example: null,
    description: 'State, province or prefecture.',
  })
  region?: string | null;

  @CountryField()
  country: string;
}

export class PostalAddressView {
  @ApiProperty({ example: 'Hauptstr. 1' }) line1: string;
  @ApiProperty({ type: String, nullable: true }) line2: string | null;
  @ApiProperty({ example: 'Berlin' }) city: string;
  @ApiProperty({ type: String, nullable: true, example: '10115' }) postalCode: string | null;
  @ApiProperty({ type: String, nullable: true }) region: string | null;
  @ApiProperty({ example: 'DE', description: 'ISO 3166-1 alpha-2.' }) country: string;
}

/** Converts an address from a request into the form that is stored. A field that was left out becomes null. */
export function readAddress(body: PostalAddressBody): PostalAddress {
  const { line1, line2 = null, city, postalCode = null, region = null, country } = body;
  return { line1, line2, city, postalCode, region, country };
}
