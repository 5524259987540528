import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  customerDataParts,
  type CustomerDataPart,
  type CustomerDataSource,
  type ExportedCustomer,
} from '#libs/manifest';

/** The number of resources whose audit entries one query reads. */
const BATCH = 100;

/** Reads entries of the audit trail from its read model. */
export abstract class AuditEntryReader {
  /** Yields the entries about resources with these ids, of any type, as the API shows them. The entries of one query come oldest first. */
  abstract entries(workspaceId: string, resourceIds: readonly string[]): AsyncIterable<object>;
}

/**
 * The audit entries about the customer and about its resources. Each context marks its parts of the customer data that consist of such
 * resources with `isAudited`.
 */
@Injectable()
class AuditEntriesSource implements CustomerDataSource {
  constructor(
    private readonly modules: ModuleRef,
    private readonly audit: AuditEntryReader,
  ) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for (const { source, isAudited } of customerDataParts()) {
      if (!isAudited) continue;
      let ids: string[] = [];
      for await (const entry of this.modules.get(source, { strict: false }).entries(customer)) {
        ids.push((entry as { id: string }).id);
        if (ids.length < BATCH) continue;
        yield* this.audit.entries(customer.workspaceId, ids);
        ids = [];
      }
      if (ids.length > 0) yield* this.audit.entries(customer.workspaceId, ids);
    }
  }
}

/** The parts of a customer's data export that this context adds: the entries of the audit trail about a customer. */
export const customerData: readonly CustomerDataPart[] = [
  { name: 'auditEntries', source: AuditEntriesSource },
];
