import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { ClosedPortalsModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { LogHead, MeterStore } from '#libs/usage';
import { RecordDataExportHandler } from './commands/record-data-export.js';
import { RequestErasureHandler } from './commands/request-erasure.js';
import { StoredAnswersEraser } from './erasers/stored-answers.js';
import { StoredTasksEraser } from './erasers/stored-tasks.js';
import { UsagePropertiesEraser } from './erasers/usage-properties.js';
import { Erasures } from './erasures.js';
import { PrivacyProcess } from './privacy.process.js';
import { OpenRecordEnder } from './open-record-ender.js';
import { UsageTextRemover } from './usage-text-remover.js';

/** Accepts requests for erasures and exports, and shows erasures, in the API. */
@Module({
  imports: [CqrsModule, CustomersModule, ClosedPortalsModule],
  providers: [RequestErasureHandler, RecordDataExportHandler, Erasures],
  exports: [Erasures],
})
export class PrivacyModule {}

/** Performs the erasures and the removal of texts from old usage events, in the saga. */
@Module({
  imports: [
    CqrsModule,
    CustomersModule,
    SubscriptionsModule,
    InvoicingModule,
    CreditsModule,
    ClosedPortalsModule,
  ],
  providers: [
    PrivacyProcess,
    OpenRecordEnder,
    StoredAnswersEraser,
    StoredTasksEraser,
    UsagePropertiesEraser,
    LogHead,
    MeterStore,
    UsageTextRemover,
  ],
  exports: [PrivacyProcess, StoredAnswersEraser, StoredTasksEraser, UsagePropertiesEraser, UsageTextRemover],
})
export class ErasureModule {}
