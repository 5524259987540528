import { Injectable } from '@nestjs/common';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { DunningRecordReader } from './dunning-record-reader.js';

@Injectable()
class DunningSource implements CustomerDataSource {
  constructor(private readonly records: DunningRecordReader) {}

  entries({ workspaceId, customerId }: ExportedCustomer): AsyncIterable<object> {
    return this.records.processesOfCustomer(workspaceId, customerId);
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'dunningProcesses', source: DunningSource, isAudited: true },
];
