import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CoalescedRead } from '#libs/kernel/system';

/** A position in the usage log, which stands for all events up to it. The position is a whole number as a string. */
export type Watermark = string;

/** Reads the last position of the usage log that was given out. Events and settlements of wallets take positions. */
@Injectable()
export class LogHead {
  private readonly reading: CoalescedRead<Watermark>;

  constructor(pool: Pool) {
    this.reading = new CoalescedRead(async () => {
      const { rows } = await pool.query<{ head: Watermark }>('SELECT usage.head() AS head');
      return rows[0]!.head;
    });
  }

  /**
   * Returns a position such that no event will be added at or before it any more. All events that were acknowledged before the call are at
   * or before the returned position. The method waits for running appends, and blocks new appends meanwhile.
   */
  read(): Promise<Watermark> {
    return this.reading.read();
  }
}
