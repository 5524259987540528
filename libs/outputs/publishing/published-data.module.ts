import { Module } from '@nestjs/common';
import { MessagesEraser } from './messages-eraser.js';

/** Erases published messages. The saga process always loads this module. Without NATS, {@link MessagesEraser} does nothing. */
@Module({ providers: [MessagesEraser], exports: [MessagesEraser] })
export class PublishedDataModule {}
