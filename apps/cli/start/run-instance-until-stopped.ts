import type { Settings } from '#libs/kernel/system';
import { wasRestored } from '../backup/restore-marks.js';
import { killLaunchedProcesses } from '../processes/launch.js';
import { type Instance, startInstance, stopInstance } from './start.js';
import { type MakeDemo, showInstance } from './start-screen.js';
import { listenForStop } from './stop-request.js';
import { Terminal } from './terminal.js';

/** The options of running an instance until it is stopped. */
export interface RunInstanceOptions {
  /**
   * Tells whether a start creates the demo if DATA_DIR has none. An instance never gets a demo if its DATA_DIR was restored, or if its
   * database has users.
   */
  createsDemo: boolean;
  /** Work that begins when all programs are ready and the demo, if any, was made. It runs until `stop` is aborted. */
  whileRunning?: (instance: Instance, terminal: Terminal, stop: AbortSignal) => Promise<void>;
}

/** Starts an instance and shows its addresses. The instance is stopped on a signal, or when the parent process has ended. */
export async function runInstanceUntilStopped(
  settings: Settings,
  options: RunInstanceOptions,
): Promise<void> {
  const terminal = new Terminal();
  const stop = listenForStop(() => {
    terminal.printLine('Killing all processes');
    killLaunchedProcesses();
  });

  const began = performance.now();
  terminal.printLine('Starting Countinghouse …');
  const instance = await startInstance(settings, terminal, stop.signal);
  terminal.printLine(`Ready in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const isRestored = await wasRestored(instance.folder.path);
  const demo = options.createsDemo && !isRestored ? demoOf(instance) : undefined;
  await Promise.race([
    showInstance(terminal, { ...instance, isRestored }, demo, stop.signal),
    stop.firstRequest,
  ]);

  const work = options.whileRunning?.(instance, terminal, stop.signal);
  await stop.firstRequest;
  // The terminal has just written ^C on this line, so a new line begins.
  if (process.stdout.isTTY && stop.signal.reason === 'SIGINT') terminal.printLine();
  terminal.printLine('Stopping …');
  await Promise.allSettled([work]);
  await stopInstance(instance);
  terminal.printLine('Stopped');
}

function demoOf({ localUrl, databaseUrl, folder }: Instance): MakeDemo {
  return async (signedUp, said) => {
    const { runDemo } = await import('../demo/index.js');
    return runDemo({
      apiUrl: localUrl,
      databaseUrl,
      dataDir: folder.path,
      onSignedUp: signedUp,
      onProgress: said,
    });
  };
}
