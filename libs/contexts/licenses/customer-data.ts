import { Injectable } from '@nestjs/common';
import { aggregateId, type Recorded } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { customerLicensesDecider, type License } from './customer-licenses.js';
import { licenseEvents, type LicenseEvent } from './events.js';
import { presentLicense } from './present.js';

/** All licenses of the customer: first the inactive licenses, in the order of their deactivation, then the active licenses. */
@Injectable()
class LicensesSource implements CustomerDataSource {
  constructor(private readonly streams: StreamReader) {}

  /** Returns an inactive license as soon as its deactivation is read, so that only active licenses are held in memory. */
  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const active = new Map<string, License>();
    const stream = `${customerLicensesDecider.category}-${aggregateId(workspaceId, customerId)}`;
    for await (const event of this.streams.pages(stream)) {
      if (!Object.hasOwn(licenseEvents, event.type)) continue;
      const { type, data } = event as Recorded<LicenseEvent>;
      const { licenseId, licenseTypeId, at } = data;
      if (type === 'LicenseAllocated') {
        active.set(licenseId, { licenseId, customerId, licenseTypeId, startedAt: at, deactivatedAt: null });
        continue;
      }
      yield presentLicense({ ...active.get(licenseId)!, deactivatedAt: at }, workspaceId);
      active.delete(licenseId);
    }
    for (const license of active.values()) yield presentLicense(license, workspaceId);
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'licenses', source: LicensesSource, isAudited: true },
];
