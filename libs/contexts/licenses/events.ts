import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * The data that the events `LicenseAllocated` and `LicenseDeactivated` both contain. The events of a customer's licenses are in the order
 * of `at`.
 */
interface LicenseChanged {
  customerId: string;
  licenseId: string;
  licenseTypeId: string;
  at: Instant;
  /** The number of the customer's active licenses of this license type, immediately after the event. */
  active: number;
}

export type LicenseEvent =
  DomainEvent<'LicenseAllocated', LicenseChanged> | DomainEvent<'LicenseDeactivated', LicenseChanged>;

export const licenseEvents: EventCatalog<LicenseEvent> = {
  LicenseAllocated: v1,
  LicenseDeactivated: v1,
};
