import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  And,
  Any,
  IsNull,
  JsonContains,
  LessThan,
  MoreThanOrEqual,
  Not,
  Repository,
  type FindOptionsWhere,
} from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { Invoice, InvoiceStatus, RecordedPayment } from '#libs/contexts/invoicing';
import { SnapshotQueries } from '#libs/kernel/projection';
import { InvoiceRow } from './invoice-row.js';

/** The conditions that the returned invoices meet. If a field is omitted, invoices are not filtered by it. */
export interface InvoiceFilter {
  invoiceId?: string;
  status?: InvoiceStatus;
  customerId?: string;
  /** A subscription that the invoice bills. */
  subscriptionId?: string;
  /** If true, invoices that were never opened are omitted: drafts, and invoices that were voided as drafts. */
  issued?: true;
  /** Only invoices that were issued at or after this instant are returned. */
  issuedFrom?: Instant;
  /** Only invoices that were issued before this instant are returned. */
  issuedBefore?: Instant;
}

/** An invoice with its credit notes and payments, and without its lines. */
export interface InvoiceDocuments extends Pick<
  Invoice,
  'invoiceId' | 'number' | 'customerId' | 'currency' | 'attempts' | 'creditNotes'
> {
  readonly recordedPayments: readonly RecordedPayment[];
}

@Injectable()
export class InvoiceQueries extends SnapshotQueries<InvoiceRow, Invoice, InvoiceFilter> {
  constructor(@InjectRepository(InvoiceRow) rows: Repository<InvoiceRow>) {
    super(rows, { resource: 'invoice', conditions, newestFirst: true, shownOf: ({ state }) => state });
  }

  /** Returns the existing invoices with these ids, in no particular order. */
  async findByIds(workspaceId: string, invoiceIds: readonly string[]): Promise<Invoice[]> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...invoiceIds]) });
    return rows.map(({ state }) => state);
  }

  /** Returns the credit notes and payments of the invoices with these ids, by the ids. Their lines are not read, because they can be large. */
  async documentsByIds(
    workspaceId: string,
    invoiceIds: readonly string[],
  ): Promise<ReadonlyMap<string, InvoiceDocuments>> {
    if (invoiceIds.length === 0) return new Map();
    const fields = ['invoiceId', 'number', 'customerId', 'currency', 'attempts', 'creditNotes'];
    const rows = await this.rows
      .createQueryBuilder('one')
      .select(
        `jsonb_build_object(${fields.map((field) => `'${field}', one.state->'${field}'`).join(', ')},
           'recordedPayments', coalesce(one.state->'recordedPayments', '[]'))`,
        'documents',
      )
      .where('one.workspaceId = :workspaceId AND one.id = ANY(:ids)', {
        workspaceId,
        ids: [...new Set(invoiceIds)],
      })
      .getRawMany<{ documents: InvoiceDocuments }>();
    return new Map(rows.map(({ documents }) => [documents.invoiceId, documents]));
  }
}

function conditions({
  invoiceId,
  status,
  customerId,
  subscriptionId,
  issued: onlyIssued,
  issuedFrom,
  issuedBefore,
}: InvoiceFilter): FindOptionsWhere<InvoiceRow> {
  const issued = [
    ...(onlyIssued ? [Not(IsNull())] : []),
    ...(issuedFrom === undefined ? [] : [MoreThanOrEqual(issuedFrom)]),
    ...(issuedBefore === undefined ? [] : [LessThan(issuedBefore)]),
  ];
  return {
    ...(invoiceId === undefined ? {} : { id: invoiceId }),
    ...(status === undefined ? {} : { status }),
    ...(customerId === undefined ? {} : { customerId }),
    ...(subscriptionId === undefined ? {} : { subscriptionIds: JsonContains([subscriptionId]) }),
    ...(issued.length === 0 ? {} : { issuedAt: And(...issued) }),
  };
}
