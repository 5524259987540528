import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EntitlementGrantQueries } from './entitlement-grant-queries.js';
import { EntitlementGrantRow } from './entitlement-grant-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([EntitlementGrantRow])],
  providers: [EntitlementGrantQueries],
  exports: [EntitlementGrantQueries],
})
export class EntitlementGrantsReadModule {}
