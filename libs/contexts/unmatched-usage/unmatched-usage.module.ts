import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { UnmatchedReporter } from './unmatched-reporter.js';

/** Provides to the saga the reporter of uncounted usage. */
@Module({ imports: [UsageModule], providers: [UnmatchedReporter], exports: [UnmatchedReporter] })
export class UnmatchedUsageModule {}
