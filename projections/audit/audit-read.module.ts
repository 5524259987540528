import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditQueries } from './audit-queries.js';
import { AuditRow } from './audit-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditRow])],
  providers: [AuditQueries],
  exports: [AuditQueries],
})
export class AuditReadModule {}
