import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CoalescedRead } from '#libs/kernel/system';

/** A place in the usage log: everything up to it. The text of a whole number. */
export type Watermark = string;

/** The position of the end of the usage log. */
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
   * A place that every event that was acknowledged before the call is not beyond, and up to which nothing will ever
   * be added. Waits for the appends that are under way, and lets none begin meanwhile.
   */
  read(): Promise<Watermark> {
    return this.reading.read();
  }
}
