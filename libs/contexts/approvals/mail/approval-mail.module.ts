import { Module } from '@nestjs/common';
import { WorkspaceNamesModule, WorkspaceUserFinderModule } from '#libs/contexts/identity';
import { ApprovalMailProcess } from './approval-mail.process.js';

/** Writes mail about approval requests, in the saga. */
@Module({
  imports: [WorkspaceNamesModule, WorkspaceUserFinderModule],
  providers: [ApprovalMailProcess],
  exports: [ApprovalMailProcess],
})
export class ApprovalMailModule {}
