import { Module } from '@nestjs/common';
import { MessagesEraser } from './messages-eraser.js';

/** Erases published messages. The saga always loads this module; without NATS, the eraser does nothing. */
@Module({ providers: [MessagesEraser], exports: [MessagesEraser] })
export class PublishedDataModule {}
