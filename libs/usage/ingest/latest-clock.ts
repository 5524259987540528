import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/core';
import { WorkspaceClock } from '#libs/workspaces';
import { SharedReading } from '../shared-reading.js';

/** The workspaces' clocks for many callers at once. A clock that has been moved is seen by all who ask afterwards. */
@Injectable()
export class LatestClock {
  private readonly readings = new Map<string, SharedReading<Instant>>();

  constructor(private readonly clock: WorkspaceClock) {}

  async now(accountId: string): Promise<Instant> {
    const reading = this.readings.get(accountId) ?? new SharedReading(() => this.clock.now(accountId));
    this.readings.set(accountId, reading);
    try {
      return await reading.read();
    } finally {
      if (reading.isIdle) this.readings.delete(accountId);
    }
  }
}
