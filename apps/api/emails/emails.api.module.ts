import { Module } from '@nestjs/common';
import { MailQueueModule } from '#libs/outputs/mail';
import { InvoicesReadModule } from '#projections/invoices';
import { EmailsController } from './emails.controller.js';

@Module({ imports: [MailQueueModule, InvoicesReadModule], controllers: [EmailsController] })
export class EmailsApiModule {}
