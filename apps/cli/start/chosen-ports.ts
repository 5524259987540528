import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { findPortError } from '../processes/ports.js';

/** A port that a setting chooses for one of the programs. */
interface ChosenPort {
  readonly program: string;
  readonly port: number;
  readonly host: string;
  /** The names of the settings that choose the program's address and port. The port's setting comes first. */
  readonly settings: readonly string[];
}

const TRIES_AFTER_A_KILL = 50;
const BETWEEN_TRIES_MILLIS = 200;

/**
 * Checks the ports that the settings choose. Throws a {@link CliError} that names the settings to change if two ports are the same, or if a
 * port cannot be used.
 *
 * @param wasAbandoned tells whether processes of a killed instance may still hold the ports; if so, the check waits until they are free
 */
export async function requireUsablePorts(settings: Settings, wasAbandoned: boolean): Promise<void> {
  requireDifferentPorts(settings);
  for (const chosen of chosenPorts(settings)) await requireFreePort(chosen, wasAbandoned);
}

function chosenPorts({ port, host, eventStorePort = 0, eventStoreUrl }: Settings): ChosenPort[] {
  const ports = [{ program: 'API', port, host, settings: ['PORT', 'HOST'] }];
  if (eventStoreUrl === undefined)
    ports.push({
      program: 'event store',
      port: eventStorePort,
      host: '127.0.0.1',
      settings: ['EVENTSTORE_PORT'],
    });
  // Port 0 means that any free port is used.
  return ports.filter((one) => one.port !== 0);
}

function requireDifferentPorts(settings: Settings): void {
  const chosen = [...chosenPorts(settings), ...operatorPort(settings)];
  for (const [port, same] of Map.groupBy(chosen, (one) => one.port))
    if (same.length > 1)
      throw new CliError(
        `${same.map((one) => one.settings[0]).join(' and ')} are the same port, ${port}; each must have its own`,
      );
}

/**
 * Returns the port of OPS_PORT, at which the operator ports begin, if it is set. The first operator port need not be free: if it is in use,
 * another port is used.
 */
function operatorPort({ opsPort = 0 }: Settings): Pick<ChosenPort, 'port' | 'settings'>[] {
  return opsPort === 0 ? [] : [{ port: opsPort, settings: ['OPS_PORT'] }];
}

async function requireFreePort(
  { program, port, host, settings }: ChosenPort,
  wasAbandoned: boolean,
): Promise<void> {
  // The remaining processes of a killed instance end by themselves, but not at once.
  for (let tries = wasAbandoned ? TRIES_AFTER_A_KILL : 0; ; tries--) {
    const problem = await findPortError(port, host);
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
