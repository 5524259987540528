import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CollectionModule } from '#libs/contexts/collection';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { DunningProcess } from './dunning.process.js';
import { ChangeDunningPolicyHandler } from './policies/change-dunning-policy.js';
import { CurrentDunningPolicy } from './policies/current-dunning-policy.js';

@Module({
  imports: [CqrsModule, CollectionModule, InvoicingModule],
  providers: [ChangeDunningPolicyHandler, CurrentDunningPolicy, DunningProcess],
  exports: [CurrentDunningPolicy, DunningProcess],
})
export class DunningModule {}
