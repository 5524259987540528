import { join } from 'node:path';
import type { Settings } from '#libs/core';
import { killLaunched } from '../processes/launch.js';
import { shownPath } from '../processes/paths.js';
import { type Instance, startInstance, stopInstance } from './start.js';
import { listenForStop } from './stop-request.js';
import { Terminal } from './terminal.js';

/** What is done while an instance runs: it is told when all is ready, and when to end. */
export interface RunOptions {
  /** Whether the first start makes the demo. */
  demo: boolean;
  /** Work that goes on from when all is ready until the signal is aborted. */
  whileRunning?: (instance: Instance, terminal: Terminal, stop: AbortSignal) => Promise<void>;
}

/** Starts an instance, shows where it is, and stops it when asked to by a signal or by the end of whoever started us. */
export async function runUntilStopped(settings: Settings, options: RunOptions): Promise<void> {
  const terminal = new Terminal();
  const stop = listenForStop(() => {
    terminal.line('Ending everything by force');
    killLaunched();
  });

  const began = performance.now();
  terminal.line('Starting Countinghouse …');
  const instance = await startInstance(settings, terminal, stop.signal);
  terminal.line(`Ready in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const demo = options.demo ? await Promise.race([demoLines(instance, terminal), stop.made]) : undefined;
  if (!stop.signal.aborted) {
    terminal.line();
    terminal.line(`API            ${instance.url}`);
    terminal.line(`Docs           ${instance.url}/docs`);
    terminal.line(
      `Metrics        ${instance.ops.map(([name, url]) => `${name} ${url}/metrics`).join('\n               ')}`,
    );
    terminal.line(`Logs           ${shownPath(join(instance.folder.path, 'logs'))}`);
    for (const line of demo ?? []) terminal.line(line);
    terminal.line();
    terminal.line('Stop with Ctrl-C.');
  }

  const work = options.whileRunning?.(instance, terminal, stop.signal);
  await stop.made;
  // The terminal has just shown ^C at the beginning of this line.
  if (process.stdout.isTTY && stop.signal.reason === 'SIGINT') terminal.line();
  terminal.line('Stopping …');
  await Promise.allSettled([work]);
  await stopInstance(instance);
  terminal.line('Stopped');
}

/** Makes the demo, or finds the one that was made. What goes wrong there must not end what runs well. */
async function demoLines(instance: Instance, terminal: Terminal): Promise<string[]> {
  try {
    const { runDemo } = await import('../demo/index.js');
    return await runDemo({
      apiUrl: instance.localUrl,
      dataDir: instance.folder.path,
      said: (text) => terminal.line(text),
    });
  } catch (error) {
    return [`The demo could not be made (${(error as Error).message}); the next start tries again`];
  }
}
