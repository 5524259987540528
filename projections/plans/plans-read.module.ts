import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PlanQueries } from './plan-queries.js';
import { PlanRow } from './plan-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([PlanRow])],
  providers: [PlanQueries],
  exports: [PlanQueries],
})
export class PlansReadModule {}
