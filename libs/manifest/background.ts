import type { Type } from '@nestjs/common';
import type { BackgroundWorker } from '#libs/kernel/app';
import type { ProcessManager } from '#libs/kernel/saga';
import type { Settings } from '#libs/kernel/system';
import type { Retention } from '#libs/kernel/upkeep';

/** Rows of a context that are deleted after a number of days, which the settings give. */
export interface ContextRetention extends Omit<Retention, 'days'> {
  readonly days: (settings: Settings) => number;
}

/** The background work that the saga runs for a context. */
export interface BackgroundWork {
  /** The modules that export the classes in `processManagers` and `workers`. */
  readonly modules: readonly Type[];
  readonly processManagers: readonly Type<ProcessManager>[];
  readonly workers: readonly Type<BackgroundWorker>[];
  readonly retentions: readonly ContextRetention[];
}
