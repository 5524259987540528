import { Conflict, laterOf, type Instant, ownValue } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { licenseEvents, type LicenseEvent } from './events.js';

export const LICENSE_STATUSES = ['active', 'inactive'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

/** The right of a person to use one seat of a license type. */
export interface License {
  licenseId: string;
  customerId: string;
  licenseTypeId: string;
  startedAt: Instant;
  /** The instant at which the license was deactivated and its seat became free. Null for an active license. */
  deactivatedAt: Instant | null;
}

/** A license that was deactivated. */
export interface DeactivatedLicense extends License {
  deactivatedAt: Instant;
}

/**
 * The licenses of a customer. A customer's licenses are in one stream, so that their exact number at any moment is known. The state does
 * not contain inactive licenses, so that it does not grow with them.
 */
export interface CustomerLicenses {
  /** The active licenses, ordered from oldest to newest. */
  licenses: License[];
  /** The number of active licenses by license type. All license types that the customer ever had are included. */
  active: Record<string, number>;
  /** The number of allocations and deactivations so far. */
  changes: number;
  /** The instant of the last allocation or deactivation. Null before the first one. */
  changedAt: Instant | null;
}

export type LicenseCommand = { customerId: string; licenseId: string; at: Instant } & (
  { type: 'AllocateLicense'; licenseTypeId: string } | { type: 'DeactivateLicense' }
);

type Of<Type extends LicenseCommand['type']> = Extract<LicenseCommand, { type: Type }>;

/**
 * The maximum number of active licenses of one customer. The number of active licenses is limited because each license command of the
 * customer reads all of them.
 */
export const MAX_ACTIVE_LICENSES_PER_CUSTOMER = 10_000;

/** A customer without licenses. */
export const initialState: CustomerLicenses = { licenses: [], active: {}, changes: 0, changedAt: null };

export const customerLicensesDecider = defineDecider<CustomerLicenses, LicenseCommand, LicenseEvent>({
  category: 'customerLicenses',
  events: licenseEvents,
  decide(command, customer = initialState) {
    switch (command.type) {
      case 'AllocateLicense':
        return allocateLicense(command, customer);
      case 'DeactivateLicense':
        return deactivateLicense(command, customer);
    }
  },
  evolve(state = initialState, { type, data }) {
    const { customerId, licenseId, licenseTypeId, at, active } = data;
    const counted = {
      active: { ...state.active, [licenseTypeId]: active },
      changes: state.changes + 1,
      changedAt: at,
    };
    switch (type) {
      case 'LicenseAllocated': {
        const license = { licenseId, customerId, licenseTypeId, startedAt: at, deactivatedAt: null };
        return { ...counted, licenses: [...state.licenses, license] };
      }
      case 'LicenseDeactivated':
        return { ...counted, licenses: state.licenses.filter((one) => one.licenseId !== licenseId) };
    }
  },
});

/** Returns an active license. Undefined if the license is inactive, or if the customer never had it. */
export function activeLicense(
  { licenses }: Pick<CustomerLicenses, 'licenses'>,
  licenseId: string,
): License | undefined {
  return licenses.find((one) => one.licenseId === licenseId);
}

/** Returns the status of a license. */
export function statusOf({ deactivatedAt }: Pick<License, 'deactivatedAt'>): LicenseStatus {
  return deactivatedAt === null ? 'active' : 'inactive';
}

function allocateLicense(
  { customerId, licenseId, licenseTypeId, at }: Of<'AllocateLicense'>,
  customer: CustomerLicenses,
): LicenseEvent[] {
  const { active } = customer;
  if (activeLicense(customer, licenseId)) return [];
  if (Object.values(active).reduce((sum, count) => sum + count, 0) >= MAX_ACTIVE_LICENSES_PER_CUSTOMER)
    throw new Conflict(
      'too_many_licenses',
      `The customer has ${MAX_ACTIVE_LICENSES_PER_CUSTOMER} active licenses, which is the maximum; deactivate one first`,
    );
  const changed = { at: inOrder(customer, at), active: (ownValue(active, licenseTypeId) ?? 0) + 1 };
  return [{ type: 'LicenseAllocated', data: { customerId, licenseId, licenseTypeId, ...changed } }];
}

/**
 * Deactivates a license, which frees its seat. Does nothing if the license is already inactive, so that the time of the first deactivation
 * is kept.
 */
function deactivateLicense(
  { customerId, licenseId, at }: Of<'DeactivateLicense'>,
  customer: CustomerLicenses,
): LicenseEvent[] {
  const license = activeLicense(customer, licenseId);
  if (!license) return [];
  const { licenseTypeId } = license;
  const changed = { at: inOrder(customer, at), active: ownValue(customer.active, licenseTypeId)! - 1 };
  return [{ type: 'LicenseDeactivated', data: { customerId, licenseId, licenseTypeId, ...changed } }];
}

/**
 * Returns the time to record for a new change of licenses. The returned time is never before the time of the previous change. The given
 * time `at` can be before the previous change, because a request with a later time may have been stored first.
 */
function inOrder({ changedAt }: CustomerLicenses, at: Instant): Instant {
  return changedAt === null ? at : laterOf(at, changedAt);
}
