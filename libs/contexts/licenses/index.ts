export { AllocateLicense } from './commands/allocate-license.js';
export {
  customerLicensesDecider,
  LICENSE_STATUSES,
  type CustomerLicenses,
  type License,
  type LicenseStatus,
} from './customer-licenses.js';
export { DeactivateLicense } from './commands/deactivate-license.js';
export type { LicenseEvent } from './events.js';
export { LicenseTypeDirectory } from './license-types.js';
export { Licenses, type LicenseChange, type LicenseCounts } from './licenses.js';
export { LicensesModule } from './licenses.module.js';
export { presentLicense } from './present.js';
