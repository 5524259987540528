import { Module } from '@nestjs/common';
import { AuditReadModule } from '#projections/audit';
import { AuditController } from './audit.controller.js';

@Module({ imports: [AuditReadModule], controllers: [AuditController] })
export class AuditApiModule {}
