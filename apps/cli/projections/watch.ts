import { sleep } from '#libs/kernel/system';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { toJsonLine } from './json-line.js';
import { renderReadModelScreen, type ScreenSize } from './screen.js';
import { describeReadModelStates, watchReadModelStates } from './states.js';

const EVERY_MILLIS = 1_000;
const HOME_AND_CLEAR = '\x1b[H\x1b[J';

/**
 * Shows the read models on `output` every second until the process receives a stop signal. On a terminal, the new state replaces the
 * previous state and fits the screen. In a file or as JSON, each state is appended.
 */
export async function showReadModelStates(
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
  asJson: boolean,
): Promise<void> {
  const isScreen = output.isTTY && !asJson;
  await runUntilStopSignal((signal) =>
    watchReadModelStates(env, signal, async (state) => {
      if (asJson) output.write(toJsonLine(state));
      else
        output.write(
          isScreen
            ? HOME_AND_CLEAR + renderReadModelScreen(state, sizeOf(output))
            : `${describeReadModelStates(state)}\n`,
        );
      await sleep(EVERY_MILLIS, signal);
    }),
  );
  if (isScreen) output.write('\n');
}

/** Returns the size of the terminal. If the size is unknown, the function returns the usual size of 80 columns and 24 rows. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): ScreenSize {
  return { columns: columns || 80, rows: rows || 24 };
}
