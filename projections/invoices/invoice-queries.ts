import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  And,
  Any,
  JsonContains,
  LessThan,
  MoreThanOrEqual,
  Repository,
  type FindOptionsWhere,
} from 'typeorm';
import { NotFound, type Instant, type ListPart } from '#libs/kernel/core';
import type { Invoice, InvoiceStatus } from '#libs/contexts/invoicing';
import { byPosition, type Listed } from '#libs/kernel/projection';
import { InvoiceRow } from './invoice-row.js';

/** Which invoices; what is left out does not matter. */
export interface InvoiceFilter {
  invoiceId?: string;
  status?: InvoiceStatus;
  customerId?: string;
  /** One of the subscriptions that it bills. */
  subscriptionId?: string;
  /** The first moment of issue that counts. */
  issuedFrom?: Instant;
  /** The first moment of issue that does not count any more. */
  issuedBefore?: Instant;
}

@Injectable()
export class InvoiceQueries {
  readonly order = byPosition('invoices');

  constructor(@InjectRepository(InvoiceRow) private readonly rows: Repository<InvoiceRow>) {}

  /** A page of the workspace's invoices, newest first. */
  async list(
    workspaceId: string,
    filter: InvoiceFilter,
    { limit, offset, after }: ListPart,
  ): Promise<Listed<Invoice>[]> {
    const rows = await this.rows.find({
      where: {
        ...conditionsOf(workspaceId, filter),
        ...(after ? { createdPosition: LessThan(after[0]) } : {}),
      },
      order: { createdPosition: 'DESC' },
      take: limit,
      skip: offset,
    });
    return rows.map(({ state, createdPosition }) => ({ shown: state, createdPosition }));
  }

  /** How many {@link list} has in all. */
  async count(workspaceId: string, filter: InvoiceFilter): Promise<number> {
    return this.rows.countBy(conditionsOf(workspaceId, filter));
  }

  /** Those of these invoices that have been made, in no order. */
  async withIds(workspaceId: string, invoiceIds: readonly string[]): Promise<Invoice[]> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...invoiceIds]) });
    return rows.map(({ state }) => state);
  }

  /** One invoice; NotFound if it is not in the workspace. */
  async get(workspaceId: string, invoiceId: string): Promise<Invoice> {
    const row = await this.rows.findOneBy({ workspaceId, id: invoiceId });
    if (!row) throw NotFound.of('invoice', invoiceId);
    return row.state;
  }
}

function conditionsOf(workspaceId: string, filter: InvoiceFilter): FindOptionsWhere<InvoiceRow> {
  const { invoiceId, status, customerId, subscriptionId, issuedFrom, issuedBefore } = filter;
  const issued = [
    ...(issuedFrom === undefined ? [] : [MoreThanOrEqual(issuedFrom)]),
    ...(issuedBefore === undefined ? [] : [LessThan(issuedBefore)]),
  ];
  return {
    workspaceId,
    ...(invoiceId === undefined ? {} : { id: invoiceId }),
    ...(status === undefined ? {} : { status }),
    ...(customerId === undefined ? {} : { customerId }),
    ...(subscriptionId === undefined ? {} : { subscriptionIds: JsonContains([subscriptionId]) }),
    ...(issued.length === 0 ? {} : { issuedAt: And(...issued) }),
  };
}
