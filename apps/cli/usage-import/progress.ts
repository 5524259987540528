import { SingleBar } from 'cli-progress';

/** How far a long piece of work has come: a bar on a terminal, a plain line now and then elsewhere. */
export interface Progress {
  update(done: number, rows: number): void;
  /** Shows a line of its own between. */
  note(text: string): void;
  stop(): void;
}

const LINE_EVERY_MILLIS = 5_000;

/** `total` is in the unit of `done`, which is what the share and the remaining time are taken from. */
export function startProgress(total: number, output: NodeJS.WriteStream): Progress {
  return output.isTTY ? bar(total, output) : lines(total, output);
}

function bar(total: number, stream: NodeJS.WriteStream): Progress {
  const single = new SingleBar({
    stream,
    format: '{bar} {percentage} %  {rows} rows  {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    etaBuffer: 50,
  });
  single.start(total, 0, { rows: '0' });
  return {
    update: (done, rows) => single.update(Math.min(done, total), { rows: rows.toLocaleString('en') }),
    // Takes the bar's place; the bar draws itself again below.
    note: (text) => void stream.write(`\r\x1b[K${text}\n`),
    stop: () => single.stop(),
  };
}

function lines(total: number, output: NodeJS.WriteStream): Progress {
  let last = performance.now();
  return {
    update(done, rows) {
      if (performance.now() - last < LINE_EVERY_MILLIS) return;
      last = performance.now();
      const share = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.write(`${share} %  ${rows.toLocaleString('en')} rows\n`);
    },
    note: (text) => void output.write(`${text}\n`),
    stop: () => undefined,
  };
}
