import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkspacePeopleModule } from '#libs/contexts/identity';
import { ApprovalsProcess } from './approvals.process.js';
import { ApprovalGate } from './gate/approval-gate.js';
import { HeldCommands } from './gate/held-commands.js';
import { ChangeApprovalPolicyHandler } from './policies/change-approval-policy.js';
import { CurrentApprovalPolicies } from './policies/current-policies.js';
import { DecideApprovalHandler } from './requests/decide-approval.js';

@Module({
  imports: [CqrsModule, WorkspacePeopleModule],
  providers: [
    ApprovalGate,
    HeldCommands,
    CurrentApprovalPolicies,
    ChangeApprovalPolicyHandler,
    DecideApprovalHandler,
    ApprovalsProcess,
  ],
  exports: [ApprovalGate, HeldCommands, CurrentApprovalPolicies, ApprovalsProcess],
})
export class ApprovalsModule {}
