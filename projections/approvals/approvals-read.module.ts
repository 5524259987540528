import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalRequestQueries } from './approval-request-queries.js';
import { ApprovalRequestRow } from './approval-request-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApprovalRequestRow])],
  providers: [ApprovalRequestQueries],
  exports: [ApprovalRequestQueries],
})
export class ApprovalsReadModule {}
