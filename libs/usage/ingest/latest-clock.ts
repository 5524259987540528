import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/core';
import { WorkspaceClock } from '#libs/workspaces';

interface Reading {
  readonly running: Promise<Instant>;
  next: Promise<Instant> | undefined;
}

/**
 * The workspace's clock for many callers at once: they share a reading, but never one that began before they
 * asked, so a clock that has been moved is seen by everyone who asks afterwards.
 */
@Injectable()
export class LatestClock {
  private readonly readings = new Map<string, Reading>();

  constructor(private readonly clock: WorkspaceClock) {}

  now(accountId: string): Promise<Instant> {
    const reading = this.readings.get(accountId);
    if (!reading) return this.read(accountId);
    reading.next ??= reading.running.then(
      () => this.read(accountId),
      () => this.read(accountId),
    );
    return reading.next;
  }

  private read(accountId: string): Promise<Instant> {
    const running = this.clock.now(accountId).finally(() => {
      const current = this.readings.get(accountId);
      if (current?.running === running && current.next === undefined) this.readings.delete(accountId);
    });
    this.readings.set(accountId, { running, next: undefined });
    return running;
  }
}
