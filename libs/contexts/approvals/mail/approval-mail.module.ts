import { Module } from '@nestjs/common';
import { WorkspaceNamesModule, WorkspacePeopleModule } from '#libs/contexts/identity';
import { ApprovalMailProcess } from './approval-mail.process.js';

/** Writes mail about approval requests, in the saga. */
@Module({
  imports: [WorkspaceNamesModule, WorkspacePeopleModule],
  providers: [ApprovalMailProcess],
  exports: [ApprovalMailProcess],
})
export class ApprovalMailModule {}
