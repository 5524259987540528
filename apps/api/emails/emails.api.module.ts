import { Module } from '@nestjs/common';
import { MailQueueModule } from '#libs/outputs/mail';
import { InvoicesReadModule } from '#projections/invoices';
import { InvoiceEmailsController, SandboxEmailsController } from './emails.controller.js';

@Module({
  imports: [MailQueueModule, InvoicesReadModule],
  controllers: [InvoiceEmailsController, SandboxEmailsController],
})
export class EmailsApiModule {}
