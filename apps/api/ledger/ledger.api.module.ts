import { Module } from '@nestjs/common';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { LedgerReadModule } from '#projections/ledger';
import { LedgerController } from './ledger.controller.js';

@Module({ imports: [InvoicingModule, LedgerReadModule], controllers: [LedgerController] })
export class LedgerApiModule {}
