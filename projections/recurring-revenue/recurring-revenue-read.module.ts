import { Module } from '@nestjs/common';
import { RecurringRevenueQueries } from './recurring-revenue-queries.js';

@Module({ providers: [RecurringRevenueQueries], exports: [RecurringRevenueQueries] })
export class RecurringRevenueReadModule {}
