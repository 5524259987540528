import { Module } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { MailQueueModule } from './mail-queue.module.js';
import { MailProcess } from './mail.process.js';
import { MailDeliverer } from './queue/mail-deliverer.js';
import { MailCipher } from './queue/mail-cipher.js';
import { MailStore } from './queue/mail-store.js';
import { SmtpSender } from './smtp/smtp-sender.js';

/** The process manager that sends mail. */
@Module({
  imports: [MailQueueModule],
  providers: [
    {
      provide: MailDeliverer,
      useFactory: (store: MailStore, seal: MailCipher, settings: Settings) =>
        new MailDeliverer(store, seal, senderOf(settings), createLogger('mail', settings.logLevel)),
      inject: [MailStore, MailCipher, SETTINGS],
    },
    MailProcess,
  ],
  exports: [MailProcess],
})
export class MailModule {}

function senderOf({ mailUrl, mailFrom }: Settings): SmtpSender | undefined {
  return mailUrl !== undefined && mailFrom !== undefined ? new SmtpSender(mailUrl, mailFrom) : undefined;
}
