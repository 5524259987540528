import { customerLicensesDecider, type LicenseEvent } from '#libs/contexts/licenses';
import { eventTypesOf, type Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import { LicenseRow } from './license-row.js';

/**
 * All licenses, for `GET /v1/licenses`. The event stream of a customer can contain many licenses, so each license is a separate row with
 * its own id.
 */
export const licensesProjection = foldProjection<LicenseRow, LicenseEvent>({
  name: 'licenses',
  version: 1,
  entity: LicenseRow,
  eventTypes: eventTypesOf(customerLicensesDecider),
  keyOf: ({ data }) => data.licenseId,
  isFirst: ({ type }) => type === 'LicenseAllocated',
  evolve: (row, event) => (event.type === 'LicenseAllocated' ? allocated(event) : deactivated(row!, event)),
});

function allocated({ data, metadata, position }: Recorded<LicenseEvent>): LicenseRow {
  const { licenseId, customerId, licenseTypeId, at: startedAt } = data;
  const { workspaceId } = metadata;
  const from = { startedAt, deactivatedAt: null, createdPosition: String(position) };
  return { licenseId, workspaceId, customerId, licenseTypeId, status: 'active', ...from };
}

function deactivated(row: LicenseRow, { data }: Recorded<LicenseEvent>): LicenseRow {
  return { ...row, status: 'inactive', deactivatedAt: data.at };
}
