import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { BillingSettingsController } from './billing-settings.controller.js';

@Module({ imports: [CqrsModule, InvoicingModule], controllers: [BillingSettingsController] })
export class BillingSettingsApiModule {}
