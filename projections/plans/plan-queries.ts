import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Plan } from '#libs/contexts/catalog';
import { SnapshotQueries } from '#libs/kernel/projection';
import { PlanRow } from './plan-row.js';

@Injectable()
export class PlanQueries extends SnapshotQueries<PlanRow, Plan> {
  constructor(@InjectRepository(PlanRow) rows: Repository<PlanRow>) {
    super(rows, { resource: 'plan', where: { live: true }, shown: ({ state }) => state.plan! });
  }
}
