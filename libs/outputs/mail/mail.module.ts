import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, requireSetting, type Settings } from '#libs/kernel/system';
import { MailProcess } from './mail.process.js';
import { MailDeliverer } from './queue/mail-deliverer.js';
import { MailQueue } from './queue/mail-queue.js';
import { MailSeal } from './queue/mail-seal.js';
import { MailStore } from './queue/mail-store.js';
import { SmtpSender } from './smtp/smtp-sender.js';

/** The queue of mail, and the process manager that sends it. */
@Module({
  providers: [
    {
      provide: MailSeal,
      useFactory: (settings: Settings) => new MailSeal(requireSetting(settings, 'jwtSecret')),
      inject: [SETTINGS],
    },
    { provide: MailStore, useFactory: (pool: Pool) => new MailStore(pool), inject: [Pool] },
    {
      provide: MailQueue,
      useFactory: (store: MailStore, seal: MailSeal) => new MailQueue(store, seal),
      inject: [MailStore, MailSeal],
    },
    {
      provide: MailDeliverer,
      useFactory: (store: MailStore, seal: MailSeal, settings: Settings) =>
        new MailDeliverer(store, seal, senderOf(settings), createLogger('mail', settings.logLevel)),
      inject: [MailStore, MailSeal, SETTINGS],
    },
    MailProcess,
  ],
  exports: [MailQueue, MailProcess],
})
export class MailModule {}

function senderOf({ mailUrl, mailFrom }: Settings): SmtpSender | undefined {
  return mailUrl !== undefined && mailFrom !== undefined ? new SmtpSender(mailUrl, mailFrom) : undefined;
}
