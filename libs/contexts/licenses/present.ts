import { statusOf, type License } from './customer-licenses.js';

/** Converts a license to its form in the API. `accountId` is the id of the workspace. */
export function presentLicense(license: License, accountId: string) {
  const { licenseId: id, customerId, licenseTypeId, startedAt, deactivatedAt } = license;
  return { id, accountId, customerId, licenseTypeId, status: statusOf(license), startedAt, deactivatedAt };
}
