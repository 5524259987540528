import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LicensesModule } from '#libs/contexts/licenses';
import { LicensesReadModule } from '#projections/licenses';
import { LicensesController } from './licenses.controller.js';

@Module({
  imports: [CqrsModule, LicensesModule, LicensesReadModule],
  controllers: [LicensesController],
})
export class LicensesApiModule {}
