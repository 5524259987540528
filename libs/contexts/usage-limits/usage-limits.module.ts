import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { UsageModule } from '#libs/usage';
import { CountersEraser } from './counting/counters-eraser.js';
import { LimitCounters } from './counting/limit-counters.js';
import { LimitRules } from './counting/limit-rules.js';
import { MovedPeriodFinder } from './counting/moved-period-finder.js';
import { WindowMover } from './counting/window-mover.js';
import { ChangeUsageLimitHandler } from './limits/commands/change-usage-limit.js';
import { CreateUsageLimitHandler } from './limits/commands/create-usage-limit.js';
import { UsageLimitsProcess } from './usage-limits.process.js';
import { LimitReporter } from './warnings/limit-reporter.js';

@Module({
  imports: [CqrsModule, CatalogModule, CustomersModule, UsageModule],
  providers: [
    CreateUsageLimitHandler,
    ChangeUsageLimitHandler,
    LimitRules,
    LimitCounters,
    MovedPeriodFinder,
    WindowMover,
    LimitReporter,
    CountersEraser,
    UsageLimitsProcess,
  ],
  exports: [LimitRules, LimitCounters, LimitReporter, CountersEraser, UsageLimitsProcess],
})
export class UsageLimitsModule {}
