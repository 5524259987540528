import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { UnmatchedReporter } from './unmatched-reporter.js';

/** Telling workspaces of usage that is not counted: what the saga needs. */
@Module({ imports: [UsageModule], providers: [UnmatchedReporter], exports: [UnmatchedReporter] })
export class UnmatchedUsageModule {}
