import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { ApprovalsReadModule } from '#projections/approvals';
import { ApprovalsController } from './approvals.controller.js';

@Module({
  imports: [CqrsModule, ApprovalsModule, ApprovalsReadModule],
  controllers: [ApprovalsController],
})
export class ApprovalsApiModule {}
