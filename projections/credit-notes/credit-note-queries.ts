import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThan, MoreThanOrEqual, Repository, type FindOptionsWhere } from 'typeorm';
import type { Instant, ListPart } from '#libs/kernel/core';
import type { CreditNoteStatus } from '#libs/contexts/invoicing';
import { orderByPosition } from '#libs/kernel/projection';
import { CreditNoteRow } from './credit-note-row.js';

/** The credit notes to list. If a field is absent, credit notes are not filtered by it. */
export interface CreditNoteFilter {
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly number?: string | undefined;
  readonly status?: CreditNoteStatus | undefined;
  /** Only credit notes that were issued at or after this instant are returned. */
  readonly from?: Instant | undefined;
  /** Only credit notes that were issued before this instant are returned. */
  readonly to?: Instant | undefined;
}

/** Lists the credit notes of a workspace. */
@Injectable()
export class CreditNoteQueries {
  readonly listOrder = orderByPosition('all_credit_notes');

  constructor(@InjectRepository(CreditNoteRow) private readonly rows: Repository<CreditNoteRow>) {}

  /** Returns a page of the credit notes, newest first. */
  async list(
    workspaceId: string,
    { from, to, ...columns }: CreditNoteFilter,
    { limit, offset, after }: ListPart,
  ): Promise<CreditNoteRow[]> {
    const issued = [
      ...(from === undefined ? [] : [MoreThanOrEqual(from)]),
      ...(to === undefined ? [] : [LessThan(to)]),
    ];
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    const where: FindOptionsWhere<CreditNoteRow> = { ...Object.fromEntries(given), workspaceId };
    if (issued.length > 0) where.issuedAt = And(...issued);
    if (after) where.createdPosition = LessThan(after[0]);
    return this.rows.find({ where, order: { createdPosition: 'DESC' }, take: limit, skip: offset });
  }
}
