import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { requireSecrets, type Settings } from '#libs/kernel/system';
import { MailQueue } from './queue/mail-queue.js';
import { MailCipher } from './queue/mail-cipher.js';
import { MailStore } from './queue/mail-store.js';

/** Provides the queue of mail to the parts that write mail and to the part that sends it. */
@Module({
  providers: [
    {
      provide: MailCipher,
      useFactory: (settings: Settings) => new MailCipher(requireSecrets(settings)),
      inject: [SETTINGS],
    },
    { provide: MailStore, useFactory: (pool: Pool) => new MailStore(pool), inject: [Pool] },
    {
      provide: MailQueue,
      useFactory: (store: MailStore, seal: MailCipher) => new MailQueue(store, seal),
      inject: [MailStore, MailCipher],
    },
  ],
  exports: [MailQueue, MailStore, MailCipher],
})
export class MailQueueModule {}
