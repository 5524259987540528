import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DunningModule } from '#libs/contexts/dunning';
import { MailQueueModule } from '#libs/outputs/mail';
import { DunningReadModule } from '#projections/dunning';
import { DunningController } from './dunning.controller.js';

@Module({
  imports: [CqrsModule, DunningModule, DunningReadModule, MailQueueModule],
  controllers: [DunningController],
})
export class DunningApiModule {}
