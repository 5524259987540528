import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LicenseQueries } from './license-queries.js';
import { LicenseRow } from './license-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([LicenseRow])],
  providers: [LicenseQueries],
  exports: [LicenseQueries],
})
export class LicensesReadModule {}
