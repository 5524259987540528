import { Module } from '@nestjs/common';
import { MessagesEraser } from './messages-eraser.js';

/** Erases published messages. The saga loads this module with and without NATS. */
@Module({ providers: [MessagesEraser], exports: [MessagesEraser] })
export class PublishedDataModule {}
