import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MigrationOutcomeRow } from './migration-outcome-row.js';
import { PriceMigrationQueries } from './price-migration-queries.js';
import { PriceMigrationRow } from './price-migration-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([PriceMigrationRow, MigrationOutcomeRow])],
  providers: [PriceMigrationQueries],
  exports: [PriceMigrationQueries],
})
export class PriceMigrationsReadModule {}
