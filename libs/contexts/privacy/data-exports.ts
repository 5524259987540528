import type { Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { dataExportEvents, type DataExportEvent, type ExportFormat } from './events.js';

/** When the data of a customer was last exported. */
export interface LastDataExport {
  customerId: string;
  /** The time of the last export. */
  lastAt: Instant;
}

export interface DataExportCommand {
  type: 'RecordDataExport';
  customerId: string;
  at: Instant;
  format: ExportFormat;
}

/**
 * Records who exported the data of a customer. The metadata of each event contains the actor, which is the user or the API key that
 * exported the data.
 */
export const dataExportsDecider = defineDecider<LastDataExport, DataExportCommand, DataExportEvent>({
  category: 'customerDataExports',
  events: dataExportEvents,
  decide({ customerId, at, format }) {
    return [{ type: 'CustomerDataExported', data: { customerId, at, format } }];
  },
  evolve(_state, { data: { customerId, at: lastAt } }) {
    return { customerId, lastAt };
  },
});
