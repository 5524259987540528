import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { DunningRecordReader, presentDunningProcess } from '#libs/contexts/dunning';
import { DunningProcessRow } from './dunning-process-row.js';

const PAGE = 500;

/**
 * Reads the dunning processes of a customer, page by page. The states of dunning e-mails are not included, because another part of the
 * customer's data export contains the e-mails.
 */
@Injectable()
export class ReadModelDunningRecordReader extends DunningRecordReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async *processesOfCustomer(workspaceId: string, customerId: string): AsyncGenerator<object> {
    const stored = this.dataSource.getRepository(DunningProcessRow);
    for (let after = '-1'; ;) {
      const rows = await stored.find({
        where: { workspaceId, customerId, createdPosition: MoreThan(after) },
        order: { createdPosition: 'ASC' },
        take: PAGE,
      });
      for (const row of rows) yield presentDunningProcess(row);
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.createdPosition;
    }
  }
}
