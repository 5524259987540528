import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TaxesModule } from '#libs/contexts/taxes';
import { TaxRatesReadModule } from '#projections/tax-rates';
import { TaxRatesController } from './tax-rates.controller.js';

@Module({ imports: [CqrsModule, TaxesModule, TaxRatesReadModule], controllers: [TaxRatesController] })
export class TaxRatesApiModule {}
