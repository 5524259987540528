import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThan, MoreThanOrEqual, Repository, type FindOptionsWhere } from 'typeorm';
import type { Instant, ListPart } from '#libs/kernel/core';
import { orderByPosition } from '#libs/kernel/projection';
import { PaymentRow, type PaymentStatus } from './payment-row.js';

/** The payments to list. If a field is absent, payments are not filtered by it. */
export interface PaymentFilter {
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly method?: string | undefined;
  /** Only payments that were created at or after this instant are returned. */
  readonly from?: Instant | undefined;
  /** Only payments that were created before this instant are returned. */
  readonly to?: Instant | undefined;
}

/** Lists the payments of a workspace. */
@Injectable()
export class PaymentQueries {
  readonly listOrder = orderByPosition('payments');

  constructor(@InjectRepository(PaymentRow) private readonly rows: Repository<PaymentRow>) {}

  /** Returns a page of the payments, newest first. */
  async list(
    workspaceId: string,
    { from, to, ...columns }: PaymentFilter,
    { limit, offset, after }: ListPart,
  ): Promise<PaymentRow[]> {
    const created = [
      ...(from === undefined ? [] : [MoreThanOrEqual(from)]),
      ...(to === undefined ? [] : [LessThan(to)]),
    ];
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    const where: FindOptionsWhere<PaymentRow> = { ...Object.fromEntries(given), workspaceId };
    if (created.length > 0) where.createdAt = And(...created);
    if (after) where.createdPosition = LessThan(after[0]);
    return this.rows.find({ where, order: { createdPosition: 'DESC' }, take: limit, skip: offset });
  }
}
