import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { GoLiveHandler } from './commands/go-live.js';

@Module({
  imports: [CqrsModule, InvoicingModule, PaymentsModule, WorkspaceNamesModule],
  providers: [GoLiveHandler],
})
export class GoLiveModule {}
