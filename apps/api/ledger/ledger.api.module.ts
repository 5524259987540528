import { Module } from '@nestjs/common';
import { LedgerReadModule } from '#projections/ledger';
import { LedgerController } from './ledger.controller.js';

@Module({ imports: [LedgerReadModule], controllers: [LedgerController] })
export class LedgerApiModule {}
