import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Plan } from '#libs/catalog';
import { NotFound } from '#libs/core';
import { PlanRow } from './plan-row.js';

@Injectable()
export class PlanQueries {
  constructor(@InjectRepository(PlanRow) private readonly rows: Repository<PlanRow>) {}

  /** A page of the workspace's plans, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<Plan[]> {
    const rows = await this.rows.find({
      where: { accountId, live: true },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(({ state }) => state.plan!);
  }

  /** One plan; NotFound if it is not in the workspace or is deleted. */
  async get(accountId: string, planId: string): Promise<Plan> {
    const row = await this.rows.findOneBy({ accountId, id: planId, live: true });
    if (!row) throw NotFound.of('plan', planId);
    return row.state.plan!;
  }
}
