import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { MailQueue } from './queue/mail-queue.js';
import { MailSeal } from './queue/mail-seal.js';
import { MailStore } from './queue/mail-store.js';

/** The queue of mail, for those who write mail and for those who send it. */
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
  ],
  exports: [MailQueue, MailStore, MailSeal],
})
export class MailQueueModule {}
