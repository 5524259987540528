import { Module } from '@nestjs/common';
import { CollectionModule } from '#libs/contexts/collection';
import { CustomersModule } from '#libs/contexts/customers';
import { ProvedAdminsModule, WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { ObservedOutages } from '#libs/kernel/telemetry';
import { DocumentsModule } from '#libs/outputs/documents';
import { CustomerMailProcess } from './customers/customer-mail.process.js';
import { CustomerMailQueue } from './customers/customer-mail-queue.js';
import { CustomerMailsEraser } from './customers/customer-mails-eraser.js';
import { InvoiceAttachmentMaker } from './customers/invoice-attachment-maker.js';
import { InvoiceSendConditionChecker } from './customers/invoice-send-condition-checker.js';
import { MailQueueModule } from './mail-queue.module.js';
import { CustomerMailSender, MailProcess } from './mail.process.js';
import { MailDeliverer } from './queue/mail-deliverer.js';
import { MailCipher } from './queue/mail-cipher.js';
import { MailStore } from './queue/mail-store.js';
import { SmtpSender } from './smtp/smtp-sender.js';

/** The process managers that write mail to customers, and that send all mail. */
@Module({
  imports: [
    MailQueueModule,
    DocumentsModule,
    InvoicingModule,
    CollectionModule,
    CustomersModule,
    PaymentsModule,
    ProvedAdminsModule,
    WorkspaceNamesModule,
  ],
  providers: [
    {
      provide: MailDeliverer,
      useFactory: newDeliverer,
      inject: [MailStore, MailCipher, InvoiceAttachmentMaker, InvoiceSendConditionChecker, SETTINGS],
    },
    InvoiceAttachmentMaker,
    InvoiceSendConditionChecker,
    CustomerMailQueue,
    MailProcess,
    CustomerMailSender,
    CustomerMailProcess,
    CustomerMailsEraser,
  ],
  exports: [MailProcess, CustomerMailSender, CustomerMailProcess, CustomerMailsEraser],
})
export class MailModule {}

function newDeliverer(
  store: MailStore,
  seal: MailCipher,
  attachments: InvoiceAttachmentMaker,
  conditions: InvoiceSendConditionChecker,
  settings: Settings,
): MailDeliverer {
  const logger = createLogger('mail', settings.logLevel);
  const outages = new ObservedOutages('mail_server', logger);
  return new MailDeliverer(store, seal, senderOf(settings), attachments, conditions, logger, outages);
}

function senderOf({ mailUrl, mailFrom }: Settings): SmtpSender | undefined {
  return mailUrl !== undefined && mailFrom !== undefined ? new SmtpSender(mailUrl, mailFrom) : undefined;
}
