import { Module } from '@nestjs/common';
import { RejectedUsageEraser } from './rejected-usage-eraser.js';

/** Provides the eraser of rejected usage for the saga that erases a person. */
@Module({ providers: [RejectedUsageEraser], exports: [RejectedUsageEraser] })
export class RejectedUsageModule {}
