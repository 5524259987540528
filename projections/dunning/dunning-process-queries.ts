import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import type { DunningStatus } from '#libs/contexts/dunning';
import type { ListPart } from '#libs/kernel/core';
import { orderByPosition } from '#libs/kernel/projection';
import { DunningProcessRow } from './dunning-process-row.js';

/** The processes to list. If a field is absent, dunning processes are not filtered by it. */
export interface DunningFilter {
  readonly customerId?: string;
  readonly status?: DunningStatus;
}

@Injectable()
export class DunningProcessQueries {
  readonly listOrder = orderByPosition('dunning_processes');

  constructor(@InjectRepository(DunningProcessRow) private readonly rows: Repository<DunningProcessRow>) {}

  /** Returns a page of the workspace's dunning processes that meet the filter, newest first. */
  async list(
    workspaceId: string,
    { limit, offset, after }: ListPart,
    filter: DunningFilter,
  ): Promise<DunningProcessRow[]> {
    return this.rows.find({
      where: { ...filter, workspaceId, ...(after ? { createdPosition: LessThan(after[0]) } : {}) },
      order: { createdPosition: 'DESC' },
      take: limit,
      skip: offset,
    });
  }
}
