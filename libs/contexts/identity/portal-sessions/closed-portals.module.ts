import { Module } from '@nestjs/common';
import { ClosedPortals } from './closed-portals.js';

/** Provides the class that closes customer portals, also in programs in which nobody signs in. */
@Module({ providers: [ClosedPortals], exports: [ClosedPortals] })
export class ClosedPortalsModule {}
