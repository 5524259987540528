import { Global, Module } from '@nestjs/common';
import { ApprovalMails } from '#libs/contexts/approvals';
import { MailQueueModule } from '../mail-queue.module.js';
import { ApprovalMailQueue } from './approval-mail-queue.js';

/** Provides the mail that the context `approvals` sends. */
@Global()
@Module({
  imports: [MailQueueModule],
  providers: [{ provide: ApprovalMails, useClass: ApprovalMailQueue }],
  exports: [ApprovalMails],
})
export class ApprovalMailsModule {}
