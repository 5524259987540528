import { Module } from '@nestjs/common';
import { Balances } from './balances.js';

@Module({ providers: [Balances], exports: [Balances] })
export class BalancesModule {}
