import { setTimeout as delay } from 'node:timers/promises';
import type { ReadSideState } from '#libs/projection';
import { untilTold } from '../until-told.js';
import { watchStates } from './states.js';

const EVERY_MILLIS = 1_000;
const HOME_AND_CLEAR = '\x1b[H\x1b[J';

/**
 * Shows the read models on `output` every second until the process is told to end. A terminal shows the newest in place of
 * the one before; elsewhere, and `asLines`, each follows the one before.
 */
export async function watchOnScreen(
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
  text: (state: ReadSideState) => string,
  asLines: boolean,
): Promise<void> {
  await untilTold((signal) =>
    watchStates(env, signal, async (state) => {
      const screen = text(state);
      output.write(
        output.isTTY && !asLines ? `${HOME_AND_CLEAR}${screen}` : `${screen}${asLines ? '' : '\n'}`,
      );
      await delay(EVERY_MILLIS, undefined, { signal }).catch(() => undefined);
    }),
  );
}
