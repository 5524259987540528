import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkspaceUserFinderModule } from '#libs/contexts/identity';
import { ApprovalsProcess } from './approvals.process.js';
import { ApprovalGate } from './gate/approval-gate.js';
import { HeldCommandRegistry } from './gate/held-command-registry.js';
import { ChangeApprovalPolicyHandler } from './policies/change-approval-policy.js';
import { CurrentApprovalPolicies } from './policies/current-policies.js';
import { DecideApprovalHandler } from './requests/decide-approval.js';

@Module({
  imports: [CqrsModule, WorkspaceUserFinderModule],
  providers: [
    ApprovalGate,
    HeldCommandRegistry,
    CurrentApprovalPolicies,
    ChangeApprovalPolicyHandler,
    DecideApprovalHandler,
    ApprovalsProcess,
  ],
  exports: [ApprovalGate, HeldCommandRegistry, CurrentApprovalPolicies, ApprovalsProcess],
})
export class ApprovalsModule {}
