import { Global, Module } from '@nestjs/common';
import { UserMailQueue } from '#libs/contexts/identity';
import { MailQueueModule } from '../mail-queue.module.js';
import { QueuedUserMails } from './queued-user-mails.js';

/** Provides the mail that the context `identity` sends to users. */
@Global()
@Module({
  imports: [MailQueueModule],
  providers: [{ provide: UserMailQueue, useClass: QueuedUserMails }],
  exports: [UserMailQueue],
})
export class UserMailsModule {}
