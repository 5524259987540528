import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { customerLicensesDecider, MAX_ACTIVE_LICENSES_PER_CUSTOMER } from './customer-licenses.js';
import type { LicenseEvent } from './events.js';

const customerId = 'cust_1';
const [jan1, jan2, jan3] = ['2026-01-01', '2026-01-02', '2026-01-03'].map(
  (day) => `${day}T00:00:00.000Z`,
) as [string, string, string];
const { given } = decide(customerLicensesDecider);

const allocate = (licenseId: string, at = jan1, licenseTypeId = 'editor') =>
  ({ type: 'AllocateLicense', customerId, licenseId, licenseTypeId, at }) as const;
const deactivate = (licenseId: string, at = jan2) =>
  ({ type: 'DeactivateLicense', customerId, licenseId, at }) as const;
const allocated = (licenseId: string, active: number, at = jan1, licenseTypeId = 'editor'): LicenseEvent => ({
  type: 'LicenseAllocated',
  data: { customerId, licenseId, licenseTypeId, at, active },
});
const deactivated = (licenseId: string, active: number, at = jan2): LicenseEvent => ({
  type: 'LicenseDeactivated',
  data: { customerId, licenseId, licenseTypeId: 'editor', at, active },
});

describe('the licenses of a customer', () => {
  it('are counted by type', () => {
    given().when(allocate('lic_1')).then(allocated('lic_1', 1));
    given(allocated('lic_1', 1)).when(allocate('lic_2')).then(allocated('lic_2', 2));
    given(allocated('lic_1', 1))
      .when(allocate('lic_2', jan1, 'viewer'))
      .then(allocated('lic_2', 1, jan1, 'viewer'));
    given(allocated('lic_1', 1), allocated('lic_2', 2))
      .when(deactivate('lic_1'))
      .then(deactivated('lic_1', 1));
  });

  it('are counted for any name of a type', () => {
    for (const type of ['constructor', '__proto__', 'toString'])
      given()
        .when(allocate('lic_1', jan1, type))
        .then(allocated('lic_1', 1, jan1, type));
  });

  it('are allocated once and deactivated once', () => {
    given(allocated('lic_1', 1)).when(allocate('lic_1', jan2)).then();
    given(allocated('lic_1', 1), deactivated('lic_1', 0)).when(deactivate('lic_1', jan3)).then();
    given(allocated('lic_1', 1)).when(deactivate('lic_2')).then();
    given().when(deactivate('lic_1')).then();
  });

  it('change in the order of time, even if a request read the clock early', () => {
    given(allocated('lic_1', 1, jan2))
      .when(allocate('lic_2', jan1))
      .then(allocated('lic_2', 2, jan2));
    given(allocated('lic_1', 1, jan2))
      .when(deactivate('lic_1', jan1))
      .then(deactivated('lic_1', 0, jan2));
  });

  it('have a limit, which deactivated ones do not count for', () => {
    const full = allocated('lic_1', MAX_ACTIVE_LICENSES_PER_CUSTOMER);
    given(full)
      .when(allocate('lic_2', jan1, 'viewer'))
      .refused('too_many_licenses');
    given(full, deactivated('lic_1', MAX_ACTIVE_LICENSES_PER_CUSTOMER - 1))
      .when(allocate('lic_2', jan2))
      .then(allocated('lic_2', MAX_ACTIVE_LICENSES_PER_CUSTOMER, jan2));
  });

  it('are kept in the state only while they are active', () => {
    const active = { licenseId: 'lic_2', customerId, licenseTypeId: 'editor', startedAt: jan1 };
    expect(given(allocated('lic_1', 1), allocated('lic_2', 2), deactivated('lic_1', 1)).state()).toEqual({
      licenses: [{ ...active, deactivatedAt: null }],
      active: { editor: 1 },
      changes: 3,
      changedAt: jan2,
    });
  });
});
