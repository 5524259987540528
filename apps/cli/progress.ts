import { SingleBar } from 'cli-progress';

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

const LINE_EVERY_MILLIS = 5_000;
const CLEAR_LINE = '\r\x1b[K';

/**
 * `total` is in the unit of `done`, which is what the share and the remaining time are taken from; `things` is what is
 * counted, in the plural.
 */
export function startProgress(total: number, things: string, output: NodeJS.WriteStream): Progress {
  return output.isTTY ? bar(total, things, output) : lines(total, things, output);
}

function bar(total: number, things: string, stream: NodeJS.WriteStream): Progress {
  const began = performance.now();
  const single = new SingleBar({
    stream,
    format: `{bar} {percentage} %  {count} ${things}  {rate}/s  {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    etaBuffer: 50,
  });
  single.start(total, 0, { count: '0', rate: '0' });
  return {
    update(done, count) {
      const rate = Math.round(count / Math.max((performance.now() - began) / 1_000, 0.001));
      single.update(Math.min(done, total), {
        count: count.toLocaleString('en'),
        rate: rate.toLocaleString('en'),
      });
    },
    note: (text) => void stream.write(`${CLEAR_LINE}${text}\n`),
    interrupt(write) {
      // Takes the bar's place; the bar draws itself again below.
      stream.write(CLEAR_LINE);
      write();
    },
    stop: () => single.stop(),
  };
}

function lines(total: number, things: string, output: NodeJS.WriteStream): Progress {
  let last = performance.now();
  return {
    update(done, count) {
      if (performance.now() - last < LINE_EVERY_MILLIS) return;
      last = performance.now();
      const share = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.write(`${share} %  ${count.toLocaleString('en')} ${things}\n`);
    },
    note: (text) => void output.write(`${text}\n`),
    interrupt: (write) => write(),
    stop: () => undefined,
  };
}
