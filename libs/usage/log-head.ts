import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CoalescedRead } from '#libs/kernel/system';

/** A position in the usage log, which includes everything up to it. It is a whole number as a string. */
export type Watermark = string;

/** Reads the position of the end of the usage log. */
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
   * Returns a position up to which no event will be added any more. All events that were acknowledged before the call are at or before it.
   * Waits for running appends, and blocks new appends meanwhile.
   */
  read(): Promise<Watermark> {
    return this.reading.read();
  }
}
