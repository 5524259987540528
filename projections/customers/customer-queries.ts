import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { NotFound, type ListPart } from '#libs/kernel/core';
import { SnapshotQueries, type Listed } from '#libs/kernel/projection';
import { CustomerRow, emailKey } from './customer-row.js';

@Injectable()
export class CustomerQueries extends SnapshotQueries<CustomerRow, CustomerRow> {
  constructor(@InjectRepository(CustomerRow) rows: Repository<CustomerRow>) {
    super(rows, { resource: 'customer', where: { deleted: false }, shown: (row) => row });
  }

  /** A page of the workspace's customers, oldest first; of one address, in whatever capitals, or one external id if given. */
  async find(
    workspaceId: string,
    { email, externalId }: { email?: string; externalId?: string },
    page: ListPart,
  ): Promise<Listed<CustomerRow>[]> {
    return this.list(workspaceId, page, {
      ...(email === undefined ? {} : { email: emailKey(email) }),
      ...(externalId === undefined ? {} : { externalId }),
    });
  }

  /** Throws NotFound if one of these customers is not in the workspace or is deleted, naming it. */
  async requireAll(workspaceId: string, customerIds: readonly string[]): Promise<void> {
    const rows = await this.rows.find({
      select: { stream: true, id: true },
      where: { workspaceId, id: In([...customerIds]), deleted: false },
    });
    const known = new Set(rows.map(({ id }) => id));
    const missing = customerIds.find((id) => !known.has(id));
    if (missing !== undefined) throw NotFound.of('customer', missing);
  }
}
