import { Global, Module } from '@nestjs/common';
import { UserMails } from '#libs/contexts/identity';
import { MailQueueModule } from '../mail-queue.module.js';
import { QueuedUserMails } from './queued-user-mails.js';

/** Provides the mail that the context `identity` sends to users. */
@Global()
@Module({
  imports: [MailQueueModule],
  providers: [{ provide: UserMails, useClass: QueuedUserMails }],
  exports: [UserMails],
})
export class UserMailsModule {}
