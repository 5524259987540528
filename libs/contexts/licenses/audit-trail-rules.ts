import type { AuditTrailRules } from '#libs/manifest';
import type { LicenseEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<LicenseEvent> = {
  LicenseAllocated: {
    action: 'license.allocated',
    id: 'licenseId',
    show: ['customerId', 'licenseTypeId', 'active'],
  },
  LicenseDeactivated: {
    action: 'license.deactivated',
    id: 'licenseId',
    show: ['customerId', 'licenseTypeId', 'active'],
  },
};
