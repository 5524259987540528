import { UnreadableEvent } from '#libs/kernel/event-store';
import { type Position } from '#libs/kernel/domain';
import {
  BuildBusy,
  BlockedByDependentObjects,
  ProjectionFailed,
  type BuildProgressListener,
  type BuildOptions,
} from '#libs/kernel/projection';
import { CliError } from '../cli-error.js';
import { startProgress, type Progress } from '../progress.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';

/** The range of the event log that a build has read. */
export interface LogReading {
  /** The position after which the reading began; undefined for the start of the log. */
  from: Position | undefined;
  /** The position of the last event when the reading began; undefined for an empty log. */
  to: Position | undefined;
  /** The number of events that were read so far. */
  eventCount: number;
}

/**
 * Runs work that builds read models, until the work is done or the process receives a stop signal. Shows the progress on `output`. Expected
 * failures, such as an event that a handler cannot process, become a {@link CliError}.
 *
 * @param remedy the advice that the error message gives when an event stops the work
 */
export async function runReadModelBuild<T>(
  output: NodeJS.WriteStream,
  remedy: string,
  work: (options: BuildOptions, reading: LogReading) => Promise<T>,
): Promise<T> {
  const reading: LogReading = { from: undefined, to: undefined, eventCount: 0 };
  const shown = new ShownProgress(output, reading);
  return runUntilStopSignal(async (signal) => {
    try {
      return await work({ signal, listener: shown }, reading);
    } catch (error) {
      if (signal.aborted) throw new CliError(`Stopped. ${remedy}`);
      if (
        error instanceof ProjectionFailed ||
        error instanceof UnreadableEvent ||
        error instanceof BlockedByDependentObjects
      )
        throw new CliError(`${error.message}\n${remedy}`);
      if (error instanceof BuildBusy) throw new CliError(`${error.message}; wait for it, or end it`);
      throw error;
    } finally {
      shown.stop();
    }
  });
}

/** Shows a progress bar for each reading of the log, and lines for other steps. */
class ShownProgress implements BuildProgressListener {
  private progress: Progress | undefined;
  /** The number of events that were read in earlier readings of the log. */
  private before = 0;

  constructor(
    private readonly output: NodeJS.WriteStream,
    private readonly total: LogReading,
  ) {}

  reportStart(from: Position | undefined, to: Position): void {
    this.stop();
    if (this.total.to === undefined) {
      this.total.from = from;
      if (from !== undefined) this.output.write(`Continuing after position ${from}\n`);
    }
    this.total.to = to;
    this.before = this.total.eventCount;
    if (from !== undefined && from >= to) return;
    const options = { from: Number(from ?? 0n), unit: 'position' };
    this.progress = startProgress(Number(to), 'events', this.output, options);
  }

  reportPosition(position: Position, events: number): void {
    this.total.eventCount = this.before + events;
    this.progress?.update(Number(position), events);
    if (this.total.to !== undefined && position >= this.total.to) this.stop();
  }

  reportStatus(text: string): void {
    if (this.progress) this.progress.printLine(text);
    else this.output.write(`${text}\n`);
  }

  stop(): void {
    this.progress?.stop();
    this.progress = undefined;
  }
}
