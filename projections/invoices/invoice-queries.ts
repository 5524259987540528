import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import type { Invoice, InvoiceStatus } from '#libs/invoicing';
import { InvoiceRow } from './invoice-row.js';

/** Which invoices; what is left out does not matter. */
export interface InvoiceFilter {
  status?: InvoiceStatus;
  customerId?: string;
}

@Injectable()
export class InvoiceQueries {
  constructor(@InjectRepository(InvoiceRow) private readonly rows: Repository<InvoiceRow>) {}

  /** Some of the workspace's invoices, newest first, and how many there are in all. */
  async list(
    accountId: string,
    { status, customerId }: InvoiceFilter,
    page: { limit: number; offset: number },
  ): Promise<{ invoices: Invoice[]; total: number }> {
    const [rows, total] = await this.rows.findAndCount({
      where: {
        accountId,
        ...(status === undefined ? {} : { status }),
        ...(customerId === undefined ? {} : { customerId }),
      },
      order: { createdPosition: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
    return { invoices: rows.map(({ state }) => state), total };
  }

  /** Those of these invoices that have been made, in no order. */
  async withIds(accountId: string, invoiceIds: readonly string[]): Promise<Invoice[]> {
    const rows = await this.rows.findBy({ accountId, id: Any([...invoiceIds]) });
    return rows.map(({ state }) => state);
  }

  /** One invoice; NotFound if it is not in the workspace. */
  async get(accountId: string, invoiceId: string): Promise<Invoice> {
    const row = await this.rows.findOneBy({ accountId, id: invoiceId });
    if (!row) throw NotFound.of('invoice', invoiceId);
    return row.state;
  }
}
