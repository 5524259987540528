import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { CollectionModule } from '#libs/contexts/collection';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { acceptFormPosts } from './form-posts.js';
import { HostedInvoiceController } from './hosted-invoice.controller.js';
import { HostedPaymentController } from './hosted-payment.controller.js';
import { LinkedInvoices } from './linked-invoices.js';

@Module({
  imports: [CqrsModule, CollectionModule, InvoicingModule, PaymentsModule, WorkspaceNamesModule],
  controllers: [HostedInvoiceController, HostedPaymentController],
  providers: [LinkedInvoices],
})
export class HostedInvoiceApiModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    acceptFormPosts(this.host.httpAdapter.getInstance<FastifyInstance>());
  }
}
