import { Module } from '@nestjs/common';
import { RejectedUsageEraser } from './rejected-usage-eraser.js';

/** What erases rejected usage, in the saga. */
@Module({ providers: [RejectedUsageEraser], exports: [RejectedUsageEraser] })
export class RejectedUsageModule {}
