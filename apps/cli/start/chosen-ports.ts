import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '#libs/core';
import { CliError } from '../cli-error.js';
import { portProblem } from '../processes/ports.js';

/** A port that somebody has chosen for one of our programs. */
interface ChosenPort {
  readonly program: string;
  readonly port: number;
  readonly host: string;
  /** The settings that decide where it listens, the port's first. */
  readonly settings: readonly string[];
}

const TRIES_AFTER_A_KILL = 50;
const BETWEEN_TRIES_MILLIS = 200;

/**
 * Throws a {@link CliError} that names the setting to change if a port that was chosen cannot be listened on. One that another
 * instance has just left behind (`wasAbandoned`) is waited for.
 */
export async function requireChosenPorts(settings: Settings, wasAbandoned: boolean): Promise<void> {
  for (const chosen of chosenPorts(settings)) await requireFree(chosen, wasAbandoned);
}

function chosenPorts({ port, host, eventStorePort = 0, eventStoreUrl }: Settings): ChosenPort[] {
  const ports = [{ program: 'API', port, host, settings: ['PORT', 'HOST'] }];
  if (eventStoreUrl === undefined)
    ports.push({
      ...{ program: 'event store', port: eventStorePort, host: '127.0.0.1' },
      settings: ['EVENTSTORE_PORT'],
    });
  // Of 0, some free port is taken.
  return ports.filter((one) => one.port !== 0);
}

async function requireFree(
  { program, port, host, settings }: ChosenPort,
  wasAbandoned: boolean,
): Promise<void> {
  // What is left of an instance that was killed ends by itself, but not in the same moment.
  for (let tries = wasAbandoned ? TRIES_AFTER_A_KILL : 0; ; tries--) {
    const problem = await portProblem(port, host);
    if (!problem) return;
    if (problem.code !== 'EADDRINUSE')
      throw new CliError(
        `The ${program} cannot listen on ${host}, port ${port} (${problem.message}); check ${settings.join(' and ')}`,
      );
    if (tries === 0)
      throw new CliError(`Port ${port} is taken; stop what listens there, or set ${settings[0]} to another`);
    await pause(BETWEEN_TRIES_MILLIS);
  }
}
