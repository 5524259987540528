import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DunningProcessQueries } from './dunning-process-queries.js';
import { DunningProcessRow } from './dunning-process-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([DunningProcessRow])],
  providers: [DunningProcessQueries],
  exports: [DunningProcessQueries],
})
export class DunningReadModule {}
