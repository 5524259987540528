import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { dataExportsDecider } from './data-exports.js';
import type { DataExportEvent } from './events.js';

const { given } = decide(dataExportsDecider);
const exported: DataExportEvent = {
  type: 'CustomerDataExported',
  data: { customerId: 'ada', at: '2026-01-01T00:00:00.000Z', format: 'zip' },
};

describe('the record of exports', () => {
  it('has each export, with its format', () => {
    const command = { type: 'RecordDataExport', ...exported.data } as const;
    given().when(command).then(exported);
    given(exported).when(command).then(exported);
  });
});
