import { SingleBar } from 'cli-progress';
import { durationText } from './wording.js';

/** How far a long piece of work has come: a bar on a terminal, a plain line now and then elsewhere. */
export interface Progress {
  /** `done` is in the unit of the total, `count` is how many things that was so far. */
  update(done: number, count: number): void;
  /** Shows a line of its own between. */
  note(text: string): void;
  /** Lets something else write lines between, perhaps to another stream of the same terminal. */
  interrupt(write: () => void): void;
  stop(): void;
}

/** What the work is measured by. */
export interface ProgressOptions {
  /** Where it begins, in the unit of the total, when a part was done before. */
  from?: number;
  /** The name of the unit, if how far it is in it is to be shown. */
  unit?: string;
}

const LINE_EVERY_MILLIS = 5_000;
const CLEAR_LINE = '\r\x1b[K';

/**
 * `total` is in the unit of `done`, which is what the share and the remaining time are taken from; `things` is what is
 * counted, in the plural.
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
      ...(unit === undefined ? [] : [`${unit} ${whole(done)} of ${whole(total)}`]),
      `${whole(count)} ${things}`,
      `${whole(count / seconds)}/s`,
      ...(left === undefined ? [] : [`${durationText(left)} left`]),
    ].join('  ');
  };
  return output.isTTY ? bar(total, from, describe, output) : lines(total, describe, output);
}

type Describe = (done: number, count: number) => string;

function bar(total: number, from: number, describe: Describe, stream: NodeJS.WriteStream): Progress {
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
    note: (text) => void stream.write(`${CLEAR_LINE}${text}\n`),
    interrupt(write) {
      // Takes the bar's place; the bar draws itself again below.
      stream.write(CLEAR_LINE);
      write();
    },
    stop: () => single.stop(),
  };
}

function lines(total: number, describe: Describe, output: NodeJS.WriteStream): Progress {
  let last = performance.now();
  return {
    update(done, count) {
      if (performance.now() - last < LINE_EVERY_MILLIS) return;
      last = performance.now();
      const share = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.write(`${share} %  ${describe(done, count)}\n`);
    },
    note: (text) => void output.write(`${text}\n`),
    interrupt: (write) => write(),
    stop: () => undefined,
  };
}

const whole = (n: number): string => Math.round(n).toLocaleString('en');
