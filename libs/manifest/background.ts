import type { Type } from '@nestjs/common';
import type { Queryable } from '#libs/kernel/postgres';
import type { BackgroundWorker } from '#libs/kernel/app';
import type { ProcessManager } from '#libs/kernel/saga';
import type { Settings } from '#libs/kernel/system';

/** Rows that are not kept for ever. */
export interface Retention {
  /** The table that they are in, for people. */
  readonly table: string;
  /** How long they are kept, by the machine's clock. */
  readonly days: (settings: Settings) => number;
  /** Removes up to `limit` rows that are older than so many days, and returns how many there were. */
  readonly prune: (db: Queryable, days: number, limit: number) => Promise<number>;
}

/** What the saga does for a context. */
export interface Background {
  /** The modules that export the classes below. */
  readonly modules: readonly Type[];
  readonly processManagers: readonly Type<ProcessManager>[];
  readonly workers: readonly Type<BackgroundWorker>[];
  readonly retentions: readonly Retention[];
}
