import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { UnmatchedUsageReporter } from './unmatched-usage-reporter.js';

/** Provides the reporter of uncounted and unpriced usage to the saga. */
@Module({ imports: [UsageModule], providers: [UnmatchedUsageReporter], exports: [UnmatchedUsageReporter] })
export class UnmatchedUsageModule {}
