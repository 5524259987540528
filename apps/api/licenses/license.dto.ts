import { ApiProperty } from '@nestjs/swagger';
import { LICENSE_STATUSES, type LicenseStatus } from '#libs/contexts/licenses';
import { InvalidRequest, type FieldError } from '#libs/kernel/core';
import { BodyExample, ChoiceField, IdField, ListView, PageQuery } from '../http/index.js';

/** An example of the id of a license. */
export const EXAMPLE_LICENSE_ID = 'lic_01JD0000000000000000000000';

/**
 * The body of a request that allocates a license. Both spellings of each field, such as `customerId` and `customer_id`, are accepted;
 * {@link readLicenseAllocation} reads them.
 */
@BodyExample({ customerId: 'cust_northwind', licenseTypeId: 'editor' })
export class AllocateLicenseBody {
  @IdField({
    optional: true,
    example: 'cust_northwind',
    description: 'The id of the customer. Required.',
  })
  customerId?: string;

  @IdField({
    optional: true,
    example: 'editor',
    description:
      'The id of the license type: the `licenseTypeId` of a price with the model `license`. Required.',
  })
  licenseTypeId?: string;

  @IdField({ optional: true, example: 'cust_northwind', description: 'Another spelling of `customerId`.' })
  customer_id?: string;

  @IdField({ optional: true, example: 'editor', description: 'Another spelling of `licenseTypeId`.' })
  license_type_id?: string;
}

/**
 * Returns the fields of an allocation. Throws InvalidRequest if a field is missing, or is given in both spellings with different values.
 */
export function readLicenseAllocation(body: AllocateLicenseBody): {
  customerId: string;
  licenseTypeId: string;
} {
  const details = [
    ...fieldErrors(body, 'customerId', 'customer_id'),
    ...fieldErrors(body, 'licenseTypeId', 'license_type_id'),
  ];
  if (details.length > 0) {
    const message = details.map(({ field, message: expected }) => `${field} ${expected}`).join('; ');
    throw new InvalidRequest('validation_failed', message, details);
  }
  return {
    customerId: (body.customerId ?? body.customer_id)!,
    licenseTypeId: (body.licenseTypeId ?? body.license_type_id)!,
  };
}

function fieldErrors(
  body: AllocateLicenseBody,
  name: 'customerId' | 'licenseTypeId',
  otherName: 'customer_id' | 'license_type_id',
): FieldError[] {
  const { [name]: value, [otherName]: other } = body;
  if (value === undefined && other === undefined)
    return [{ field: name, message: 'must be 1 to 128 letters, digits or _ . : -' }];
  if (value === undefined || other === undefined || value === other) return [];
  return [
    { field: otherName, message: `must be the same as ${name}, or be left out` },
    { field: name, message: `must be the same as ${otherName}, or be left out` },
  ];
}

export class LicenseQuery extends PageQuery {
  @IdField({ optional: true, description: 'Only licenses of this customer.', example: 'cust_northwind' })
  customerId?: string;

  @IdField({ optional: true, description: 'Only licenses of this type.', example: 'editor' })
  licenseTypeId?: string;

  @ChoiceField(LICENSE_STATUSES, { optional: true, description: 'Only licenses with this status.' })
  status?: LicenseStatus;
}

export class LicenseView {
  @ApiProperty({ example: EXAMPLE_LICENSE_ID }) id: string;
  @ApiProperty({ example: 'acc_01JD0000000000000000000000', description: 'The id of the workspace.' })
  accountId: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'editor', description: 'The id of the license type, as in the prices.' })
  licenseTypeId: string;
  @ApiProperty({
    enum: [...LICENSE_STATUSES],
    description: '`active`: somebody has the seat. `inactive`: the seat was freed.',
  })
  status: LicenseStatus;
  @ApiProperty({ format: 'date-time', description: 'The time of the allocation.' }) startedAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time at which the license was deactivated and its seat became free. Null for an active license.',
  })
  deactivatedAt: string | null;
}

export class LicenseList extends ListView {
  @ApiProperty({ type: [LicenseView] }) data: LicenseView[];
}

export class DeactivatedLicenseView {
  @ApiProperty({
    type: Boolean,
    example: true,
    description: 'Always true, because a request that fails gets an error response.',
  })
  success: boolean;
  @ApiProperty({
    format: 'date-time',
    description:
      'The time at which the license was deactivated and its seat became free. A repeated request returns the time of the first ' +
      'deactivation.',
  })
  deactivatedAt: string;
}
