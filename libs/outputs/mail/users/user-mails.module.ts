import { Global, Module } from '@nestjs/common';
import { UserMailQueue, WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { MailQueueModule } from '../mail-queue.module.js';
import { QueuedUserMails } from './queued-user-mails.js';

/** Provides the mail that the context `identity` sends to users. */
@Global()
@Module({
  imports: [MailQueueModule, WorkspaceNamesModule, InvoicingModule],
  providers: [{ provide: UserMailQueue, useClass: QueuedUserMails }],
  exports: [UserMailQueue],
})
export class UserMailsModule {}
