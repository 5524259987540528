import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import type { LicenseStatus } from '#libs/contexts/licenses';
import { NotFound, type ListPart } from '#libs/kernel/core';
import { orderByPosition } from '#libs/kernel/projection';
import { LicenseRow } from './license-row.js';

/** The licenses to list. If a field is absent, licenses are not filtered by it. */
export interface LicenseFilter {
  readonly customerId?: string;
  readonly licenseTypeId?: string;
  readonly status?: LicenseStatus;
}

@Injectable()
export class LicenseQueries {
  readonly listOrder = orderByPosition('licenses');

  constructor(@InjectRepository(LicenseRow) private readonly rows: Repository<LicenseRow>) {}

  /** Returns a page of the workspace's licenses that meet the filter, oldest first. */
  async list(
    workspaceId: string,
    { limit, offset, after }: ListPart,
    filter: LicenseFilter,
  ): Promise<LicenseRow[]> {
    return this.rows.find({
      where: { ...filter, workspaceId, ...(after ? { createdPosition: MoreThan(after[0]) } : {}) },
      order: { createdPosition: 'ASC' },
      take: limit,
      skip: offset,
    });
  }

  /** Returns the license with the given id. Throws NotFound if the workspace has no such license. */
  async get(workspaceId: string, licenseId: string): Promise<LicenseRow> {
    const row = await this.rows.findOneBy({ workspaceId, licenseId });
    if (!row) throw NotFound.of('license', licenseId);
    return row;
  }
}
