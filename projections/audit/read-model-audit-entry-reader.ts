import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditEntryReader } from '#libs/contexts/audit';
import { AuditRow } from './audit-row.js';
import { AUDIT_ACTIONS, resourceTypeOf } from './audit-entry.js';
import { presentAuditEntry } from './present.js';

const PAGE = 500;
const TYPES = [...new Set(AUDIT_ACTIONS.map(resourceTypeOf))];

/** Finds the audit entries of given resources, by an index of the read model. */
@Injectable()
export class ReadModelAuditEntryReader extends AuditEntryReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async *entries(workspaceId: string, resourceIds: readonly string[]): AsyncGenerator<object> {
    for (let after = '-1'; ;) {
      const rows = await this.dataSource
        .getRepository(AuditRow)
        .createQueryBuilder('entry')
        .where('entry.workspaceId = :workspaceId AND entry.position > :after', { workspaceId, after })
        .andWhere('entry.resourceType = ANY(:types) AND entry.resourceId = ANY(:ids)', {
          types: TYPES,
          ids: resourceIds,
        })
        .orderBy('entry.position')
        .limit(PAGE)
        .getMany();
      yield* rows.map(presentAuditEntry);
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.position;
    }
  }
}
