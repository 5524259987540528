import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LimitUseReader, UsageLimitsModule } from '#libs/contexts/usage-limits';
import { MetricsReadModule } from '#projections/metrics';
import { UsageLimitsReadModule } from '#projections/usage-limits';
import { UsageApiModule } from '../usage/usage.api.module.js';
import { LimitUseController } from './limit-use.controller.js';
import { UsageLimitsController } from './usage-limits.controller.js';

@Module({
  imports: [CqrsModule, MetricsReadModule, UsageApiModule, UsageLimitsModule, UsageLimitsReadModule],
  // The first controller has the path `check`. If it came later, `check` would be taken for the id of a limit.
  controllers: [LimitUseController, UsageLimitsController],
  providers: [LimitUseReader],
})
export class UsageLimitsApiModule {}
