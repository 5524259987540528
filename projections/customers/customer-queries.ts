import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, In, Repository } from 'typeorm';
import { NotFound } from '#libs/kernel/core';
import { SnapshotQueries } from '#libs/kernel/projection';
import { CustomerRow, lowerCaseEmail } from './customer-row.js';

/** The customers to list. If a field is absent, customers are not filtered by it. */
export interface CustomerFilter {
  /** The e-mail address. The search for an e-mail address ignores upper and lower case. */
  readonly email?: string;
  readonly externalId?: string;
}

@Injectable()
export class CustomerQueries extends SnapshotQueries<CustomerRow, CustomerRow, CustomerFilter> {
  constructor(@InjectRepository(CustomerRow) rows: Repository<CustomerRow>) {
    super(rows, {
      resource: 'customer',
      where: { deleted: false },
      conditions: ({ email, externalId }) => ({
        ...(email === undefined ? {} : { email: lowerCaseEmail(email) }),
        ...(externalId === undefined ? {} : { externalId }),
      }),
      shownOf: (row) => row,
    });
  }

  /** Returns the time zones of these customers. Customers that are deleted or not in the workspace are omitted. */
  async timezonesById(workspaceId: string, customerIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.rows.find({
      where: { workspaceId, id: In([...customerIds]), deleted: false },
    });
    return new Map(rows.map(({ id, state }) => [id, state.timezone]));
  }

  /** Returns the names of these customers, by id. Customers that are deleted or not in the workspace are omitted. */
  async namesById(workspaceId: string, customerIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...customerIds]), deleted: false });
    return new Map(rows.map(({ id, state }) => [id, state.name]));
  }

  /** @throws NotFound if a customer is deleted or not in the workspace, with the id of that customer */
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
