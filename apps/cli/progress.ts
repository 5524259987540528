import { SingleBar } from 'cli-progress';
import { durationText } from './wording.js';

/** Shows the progress of long work: a bar on a terminal, or else a plain line every few seconds. */
export interface Progress {
  /**
   * Shows the new progress.
   *
   * @param done the progress so far, in the unit of the total
   * @param count the number of things that were handled so far
   */
  update(done: number, count: number): void;
  /** Prints a line of text above the bar. */
  printLine(text: string): void;
  /** Calls `write`, which prints lines to this terminal, and keeps these lines apart from the bar. */
  interrupt(write: () => void): void;
  stop(): void;
}

/** Optional settings of a progress display. */
export interface ProgressOptions {
  /** The progress that was made before the start of the display, in the unit of the total. */
  from?: number;
  /** The name of the total's unit. If the unit is given, the display shows the completed and the total amount in this unit. */
  unit?: string;
}

const LINE_EVERY_MILLIS = 5_000;
const CLEAR_LINE = '\r\x1b[K';

/**
 * Starts a progress display.
 *
 * @param total the amount of all work, in the unit of `done`; the percentage and the remaining time are computed from the total
 * @param things the plural name of the counted things, such as `events`
 */
export function startProgress(
  total: number,
  things: string,
  output: NodeJS.WriteStream,
  { from = 0, unit }: ProgressOptions = {},
): Progress {
  const began = performance.now();
  const describe = (done: number, count: number): string => {
    const seconds = Math.max((performance.now() - began) / 1_000, 0.001);
    const left = done > from ? (seconds * (total - done)) / (done - from) : undefined;
    return [
      ...(unit === undefined ? [] : [`${unit} ${wholeNumberText(done)} of ${wholeNumberText(total)}`]),
      `${wholeNumberText(count)} ${things}`,
      `${wholeNumberText(count / seconds)}/s`,
      ...(left === undefined ? [] : [`${durationText(left)} left`]),
    ].join('  ');
  };
  return output.isTTY
    ? terminalProgress(total, from, describe, output)
    : lineProgress(total, describe, output);
}

type Describe = (done: number, count: number) => string;

function terminalProgress(
  total: number,
  from: number,
  describe: Describe,
  stream: NodeJS.WriteStream,
): Progress {
  const single = new SingleBar({
    stream,
    format: `{bar} {percentage} %  {text}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  single.start(total, from, { text: '' });
  return {
    update: (done, count) => single.update(Math.min(done, total), { text: describe(done, count) }),
    printLine: (text) => void stream.write(`${CLEAR_LINE}${text}\n`),
    interrupt(write) {
      // The written lines replace the bar. The next update draws the bar again below them.
      stream.write(CLEAR_LINE);
      write();
    },
    stop: () => single.stop(),
  };
}

function lineProgress(total: number, describe: Describe, output: NodeJS.WriteStream): Progress {
  let last = performance.now();
  return {
    update(done, count) {
      if (performance.now() - last < LINE_EVERY_MILLIS) return;
      last = performance.now();
      const share = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.write(`${share} %  ${describe(done, count)}\n`);
    },
    printLine: (text) => void output.write(`${text}\n`),
    interrupt: (write) => write(),
    stop: () => undefined,
  };
}

const wholeNumberText = (n: number): string => Math.round(n).toLocaleString('en');
