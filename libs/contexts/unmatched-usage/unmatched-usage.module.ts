import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { UnmatchedReporter } from './unmatched-reporter.js';

/** Provides the reporter of uncounted usage to the saga. */
@Module({ imports: [UsageModule], providers: [UnmatchedReporter], exports: [UnmatchedReporter] })
export class UnmatchedUsageModule {}
