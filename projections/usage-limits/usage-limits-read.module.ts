import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsageLimitQueries } from './usage-limit-queries.js';
import { UsageLimitRow } from './usage-limit-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([UsageLimitRow])],
  providers: [UsageLimitQueries],
  exports: [UsageLimitQueries],
})
export class UsageLimitsReadModule {}
